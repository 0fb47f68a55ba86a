import { roleScopes, type MemberRole } from '@posthorn/contracts';
import type { CallerKind } from '../../routes/route.js';
import { callersOf, scopesOf } from '../../routes/route.js';
import type { Route } from '../../routes/route-table.js';
import type { Refusal } from './dialect-shapes.js';
import { strangeOrigin, trustedOrigin, type Shown, type WalkFixture } from './walk-fixture.js';

/** A caller of every route: its credential, and the response expected from the declaration of the route. */
export interface WalkCaller {
  says: string;
  shows(fixture: WalkFixture, route: Route): Shown;
  hears(route: Route): Refusal | 'admitted';
}

const unknownKey: Refusal = { status: 401, code: 'invalid_api_key' };
const unknownSession: Refusal = { status: 401, code: 'invalid_session' };
const noScope: Refusal = { status: 403, code: 'scope_missing' };
const noProject: Refusal = { status: 403, code: 'project_access_denied' };
const isDisabled: Refusal = { status: 403, code: 'project_disabled' };

const isOpen = ({ declaration }: Route, kind: CallerKind): boolean => callersOf(declaration).includes(kind);
const takesKeys = (route: Route): boolean => isOpen(route, 'SECRET') || isOpen(route, 'PUBLIC');
const writes = ({ method }: Route): boolean => method !== 'GET';
const barred = (route: Route): boolean => writes(route) && !route.declaration.whileDisabled;

/** Invalid credentials; a request without any may be allowed. */
const nobody = (route: Route): Refusal => (takesKeys(route) ? unknownKey : unknownSession);

type Verdict = WalkCaller['hears'];
/** A valid key: expects the callers of the route, then `verdict`. */
const keyed =
  (kind: 'SECRET' | 'PUBLIC', verdict: Verdict): Verdict =>
  (route) => {
    if (!takesKeys(route)) return unknownSession;
    return isOpen(route, kind) ? verdict(route) : kind === 'PUBLIC' ? noScope : unknownKey;
  };

/** A valid session on a trusted origin. */
const signedIn =
  (verdict: Verdict): Verdict =>
  (route) =>
    isOpen(route, 'SESSION') ? verdict(route) : unknownKey;

const ofRole =
  (role: MemberRole): Verdict =>
  ({ declaration }) => {
    if (declaration.project === 'NONE') return 'admitted';
    const allowed = scopesOf(declaration).some((scope) => roleScopes[role].includes(scope));
    return allowed && (declaration.roles ?? [role]).includes(role) ? 'admitted' : noScope;
  };

const needsProject =
  (verdict: Verdict): Verdict =>
  (route) =>
    route.declaration.project === 'NONE' ? 'admitted' : verdict(route);

const admitted: Verdict = () => 'admitted';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const session = (cookie: string, projectId?: string, origin = trustedOrigin): Record<string, string> => ({
  cookie,
  ...(origin && { origin }),
  ...(projectId !== undefined && { 'x-project-id': projectId }),
});

const none = (says: string, shows: (fixture: WalkFixture) => Record<string, string>): WalkCaller => ({
  says,
  shows: (fixture) => ({ headers: shows(fixture) }),
  hears: nobody,
});

const keys: readonly WalkCaller[] = [
  {
    ...none('no credential', () => ({})),
    hears: (route) => (isOpen(route, 'NOBODY') ? 'admitted' : nobody(route)),
  },
  none('an empty credential', () => ({ authorization: '' })),
  none('a credential of another scheme', ({ keys: { full } }) => ({ authorization: `Basic ${full}` })),
  none('a malformed key', () => bearer('sk_live_x')),
  none('a key with a typo', ({ keys: { full } }) =>
    bearer(full.slice(0, -1) + (full.endsWith('0') ? '1' : '0')),
  ),
  none('two keys in one', ({ keys: { full } }) => ({ authorization: `Bearer ${full}, Bearer ${full}` })),
  none('an unknown key', ({ unknown }) => bearer(unknown)),
  none('a revoked key', ({ keys: { revoked } }) => bearer(revoked)),
  {
    says: 'a secret key with every scope except that of the route',
    shows: (fixture, { declaration }) => ({ headers: bearer(fixture.keyWithAllBut(declaration)) }),
    hears: keyed('SECRET', () => noScope),
  },
  {
    says: 'a secret key with only the scope of the route',
    shows: (fixture, { declaration }) => ({ headers: bearer(fixture.keyJustWith(declaration.scope)) }),
    hears: keyed('SECRET', admitted),
  },
  {
    says: 'a secret key with its preset',
    shows: ({ keys: { full } }) => ({ headers: bearer(full) }),
    hears: keyed('SECRET', admitted),
  },
  {
    says: 'a TEST key',
    shows: ({ keys: { test } }) => ({ headers: bearer(test) }),
    hears: keyed('SECRET', admitted),
  },
  {
    says: 'a public key from another origin',
    shows: ({ keys }) => ({ headers: { ...bearer(keys.public), origin: strangeOrigin } }),
    hears: keyed('PUBLIC', ({ declaration }) =>
      scopesOf(declaration).includes('emails:send') ? 'admitted' : noScope,
    ),
  },
  {
    says: 'a public key that may only subscribe',
    shows: ({ keys: { form } }) => ({ headers: bearer(form) }),
    hears: keyed('PUBLIC', ({ declaration }) =>
      scopesOf(declaration).includes('lists:write') ? 'admitted' : noScope,
    ),
  },
  {
    says: 'a public key confined to other origins',
    shows: ({ keys: { ofOrigin } }) => ({ headers: { ...bearer(ofOrigin), origin: strangeOrigin } }),
    hears: keyed('PUBLIC', () => noScope),
  },
  {
    says: "a key together with an owner's cookie, which is ignored",
    shows: (fixture) => ({
      headers: { ...session(fixture.cookies.OWNER, fixture.ours), ...bearer(fixture.unknown) },
    }),
    hears: nobody,
  },
  {
    says: 'a key of another project',
    shows: ({ keys: { strangers: unknown } }) => ({ headers: bearer(unknown) }),
    hears: keyed('SECRET', ({ projectInPath }) => (projectInPath ? noProject : 'admitted')),
  },
  {
    says: 'a key of a disabled project',
    shows: ({ keys, disabled }) => ({ headers: bearer(keys.disabled), projectId: disabled }),
    hears: keyed('SECRET', (route) => (barred(route) ? isDisabled : 'admitted')),
  },
];

const member = (role: MemberRole): WalkCaller => ({
  says: `the session of the project's ${role}`,
  shows: ({ cookies, ours }) => ({ headers: session(cookies[role], ours) }),
  hears: signedIn(ofRole(role)),
});

const person = (says: string, shows: (fixture: WalkFixture) => Shown, verdict: Verdict): WalkCaller => ({
  says: `a session ${says}`,
  shows,
  hears: signedIn(verdict),
});

const fromElsewhere: Verdict = (route) => (writes(route) ? noScope : ofRole('OWNER')(route));
const withoutProject = needsProject((route) => (route.projectInPath ? ofRole('OWNER')(route) : noProject));

const sessions: readonly WalkCaller[] = [
  ...(['OWNER', 'ADMIN', 'MEMBER'] as const).map(member),
  person(
    'that is unknown',
    ({ unknownCookie, ours }) => ({ headers: session(unknownCookie, ours) }),
    () => unknownSession,
  ),
  person(
    'of another host',
    ({ foreignCookie, ours }) => ({ headers: session(foreignCookie, ours) }),
    () => unknownSession,
  ),
  person(
    'that has expired',
    ({ cookies, ours }) => ({ headers: session(cookies.EXPIRED, ours) }),
    () => unknownSession,
  ),
  person(
    'sent twice',
    ({ cookies, ours }) => ({ headers: session(`${cookies.OWNER}; ${cookies.OWNER}`, ours) }),
    () => unknownSession,
  ),
  person(
    'without an origin',
    ({ cookies, ours }) => ({ headers: session(cookies.OWNER, ours, '') }),
    fromElsewhere,
  ),
  person(
    'from another origin',
    ({ cookies, ours }) => ({ headers: session(cookies.OWNER, ours, strangeOrigin) }),
    fromElsewhere,
  ),
  person('without a project', ({ cookies }) => ({ headers: session(cookies.OWNER) }), withoutProject),
  person(
    'with a malformed project',
    ({ cookies }) => ({ headers: session(cookies.OWNER, "'--") }),
    withoutProject,
  ),
  person(
    'with the project of another user',
    ({ cookies, unknowns: unknown }) => ({ headers: session(cookies.OWNER, unknown), projectId: unknown }),
    needsProject(() => noProject),
  ),
  person(
    'with a project that does not exist',
    ({ cookies, nowhere }) => ({ headers: session(cookies.OWNER, nowhere), projectId: nowhere }),
    needsProject(() => noProject),
  ),
  person(
    'of another user',
    ({ cookies, ours }) => ({ headers: session(cookies.STRANGER, ours) }),
    needsProject(() => noProject),
  ),
  person(
    'of the owner of a disabled project',
    ({ cookies, disabled }) => ({ headers: session(cookies.DISABLED, disabled), projectId: disabled }),
    needsProject((route) => (barred(route) ? isDisabled : ofRole('OWNER')(route))),
  ),
];

const shown = (name: keyof WalkFixture['tokens']) => (fixture: WalkFixture) => ({
  headers: bearer(fixture.tokens[name]),
});
/** A valid delegated token. */
const delegated =
  (verdict: Verdict): Verdict =>
  (route) =>
    isOpen(route, 'TOKEN') ? verdict(route) : takesKeys(route) ? unknownKey : unknownSession;

const token = (says: string, shows: WalkCaller['shows'], subscribes: Verdict): WalkCaller => ({
  says: `a delegated token ${says}`,
  shows,
  hears: subscribes,
});

const tokens: readonly WalkCaller[] = [
  ...(['OWNER', 'ADMIN', 'MEMBER'] as const).map((role) =>
    token(`of the project's ${role}`, shown(role), delegated(ofRole(role))),
  ),
  token(
    'with a typo',
    ({ tokens: { OWNER } }) => ({ headers: bearer(OWNER.slice(0, -1) + (OWNER.endsWith('0') ? '1' : '0')) }),
    nobody,
  ),
  token('that is unknown', ({ unknownToken }) => ({ headers: bearer(unknownToken) }), nobody),
  token('that has expired', shown('EXPIRED'), nobody),
  token('that is revoked', shown('REVOKED'), nobody),
  token('whose grant was revoked', shown('ENDED'), nobody),
  token('whose application is disabled', shown('OUT'), nobody),
  token('replaced by its refresh token', ({ refreshToken }) => ({ headers: bearer(refreshToken) }), nobody),
  token(
    'with every scope except that of the route',
    (fixture, { declaration }) => ({ headers: bearer(fixture.tokenWithAllBut(declaration)) }),
    delegated(() => noScope),
  ),
  token(
    'with only the scope of the route',
    (fixture, { declaration }) => ({ headers: bearer(fixture.tokenJustWith(declaration.scope)) }),
    delegated(() => 'admitted'),
  ),
  token(
    'with more scopes than its grant',
    shown('REDUCED'),
    delegated(() => noScope),
  ),
  token(
    'of another project',
    shown('STRANGER'),
    delegated(({ projectInPath }) => (projectInPath ? noProject : 'admitted')),
  ),
  token(
    'of a disabled project',
    ({ tokens: { DISABLED }, disabled }) => ({ headers: bearer(DISABLED), projectId: disabled }),
    delegated((route) => (barred(route) ? isDisabled : ofRole('OWNER')(route))),
  ),
];

export const walkCallers: readonly WalkCaller[] = [...keys, ...sessions, ...tokens];
