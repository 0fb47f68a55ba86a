import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import {
  noProject,
  DomainError,
  isUuid,
  roleScopes,
  type Caller,
  type MemberRole,
  type Scope,
} from '@posthorn/contracts';
import { isWellFormedToken } from '../api-keys/api-key-token.js';
import { isDelegatedToken } from '../oauth/oauth-rules.js';
import { GatewayConfig } from '../config.js';
import {
  foreignProject,
  noCredential,
  noSession,
  notForPublicKeys,
  notForRole,
  projectDisabled,
  scopeMissing,
  tooManyAttempts,
  untrustedOrigin,
} from '../wire/errors.js';
import { headerValues } from '../wire/headers.js';
import type { Route } from '../routes/route-table.js';
import { callersOf, scopesOf } from '../routes/route.js';
import { isTrustedOrigin } from '../people/people-rules.js';
import { type Admission, type Credential, type SessionUser, refuseOutside } from './credential.js';
import { FailedCredentials } from './failed-credentials.js';
import { Identities } from './identities.js';
import { KeyUsage } from './key-usage.js';
import { hasSessionCookie } from './session-cookie.js';
import { hashOfToken } from './tokens.js';

const maxAuthorization = 8 * 1024;
const bearer = /^Bearer +([A-Za-z0-9_]+) *$/i;

export interface CredentialCheck {
  raw: Pick<IncomingMessage, 'rawHeaders'>;
  params: unknown;
  ip: string;
}

@Injectable()
export class Guard {
  constructor(
    private readonly identities: Identities,
    private readonly usage: KeyUsage,
    private readonly config: GatewayConfig,
    private readonly attempts: FailedCredentials,
  ) {}

  async admit(route: Route, request: CredentialCheck): Promise<Admission> {
    const wait = this.attempts.waitOf(request.ip);
    if (wait > 0 && !this.isWorthChecking(request))
      throw tooManyAttempts(wait, this.config.failedAttemptsPerMinute);
    return this.identify(route, request).catch((error: unknown) => this.noteAttempt(request, error));
  }

  /** Many clients may share an address, so credentials known to this gateway still work while another client guesses. */
  private isWorthChecking({ raw }: CredentialCheck): boolean {
    if (isWithoutCredential(raw)) return true;
    const token = tokenOf(raw) ?? this.identities.sessionToken(headerValues(raw.rawHeaders, 'cookie'));
    return token !== null && this.identities.wasKnown(hashOfToken(token));
  }

  private noteAttempt({ raw, ip }: CredentialCheck, error: unknown): never {
    if (error instanceof DomainError && error.kind === 'unauthenticated' && wasChecked(raw, error))
      this.attempts.count(ip);
    throw error;
  }

  private async identify(route: Route, request: CredentialCheck): Promise<Admission> {
    const { rawHeaders } = request.raw;
    const cookies = headerValues(rawHeaders, 'cookie');
    // An explicit key takes precedence over cookies.
    const bySession = headerValues(rawHeaders, 'authorization').length === 0 && hasSessionCookie(cookies);
    return bySession
      ? this.admitSession(route, request, await this.identities.session(cookies))
      : this.admitBearer(route, request);
  }

  private async admitBearer(route: Route, request: CredentialCheck): Promise<Admission> {
    const callers = callersOf(route.declaration);
    if (!bearers.some((kind) => callers.includes(kind))) throw noSession();
    const token = tokenOf(request.raw);
    const credential = token === null ? null : await this.credentialOf(token);
    if (!credential) throw noCredential();
    const { kind, caller, keyId, perSecond, role, confinement, scopes } = credential;
    if (!callers.includes(kind)) throw kind === 'PUBLIC' ? notForPublicKeys() : noCredential();
    if (route.projectInPath && projectInPath(request) !== credential.projectId) throw foreignProject();
    refuse(route, credential.projectDisabled, scopes);
    if (confinement) refuseOutside(confinement, route, request.raw.rawHeaders);
    if (role && route.declaration.roles?.includes(role) === false) throw notForRole();
    if (kind !== 'TOKEN') this.usage.touch(credential);
    return { kind, caller, scopes, rateLimitKey: { keyId, kind, perSecond } };
  }

  private credentialOf(token: string): Credential | null | Promise<Credential | null> {
    const hash = hashOfToken(token);
    return isDelegatedToken(token) ? this.identities.delegated(hash) : this.identities.key(hash);
  }

  private async admitSession(
    route: Route,
    request: CredentialCheck,
    session: SessionUser | null,
  ): Promise<Admission> {
    const { rawHeaders } = request.raw;
    if (!callersOf(route.declaration).includes('SESSION')) throw noCredential();
    if (!session) throw noSession();
    if (route.method !== 'GET' && !isTrustedOrigin(this.config, headerValues(rawHeaders, 'origin')))
      throw untrustedOrigin();
    const actor: Caller['actor'] = { kind: 'USER', id: session.userId, name: session.name };
    const { sessionId, userId } = session;
    const rateLimitKey = { keyId: userId, kind: 'SESSION', perSecond: null } as const;
    if (route.declaration.project === 'NONE')
      return {
        kind: 'SESSION',
        caller: { projectId: noProject, actor },
        sessionId,
        scopes: new Set(),
        rateLimitKey,
      };
    const projectId = route.projectInPath ? projectInPath(request) : headerProject(rawHeaders);
    const membership = isUuid(projectId) ? await this.identities.membership(userId, projectId) : null;
    if (!membership) throw foreignProject();
    const scopes = scopesOfRole[membership.role];
    refuse(route, membership.disabled, scopes);
    if (route.declaration.roles?.includes(membership.role) === false) throw notForRole();
    return { kind: 'SESSION', caller: { projectId, actor }, sessionId, scopes, rateLimitKey };
  }
}

/** A key on a session-only route is not looked up, so it does not count as a guess. */
const wasChecked = (raw: CredentialCheck['raw'], { code }: DomainError): boolean =>
  !isWithoutCredential(raw) &&
  !(code === 'invalid_session' && headerValues(raw.rawHeaders, 'authorization').length > 0);

const bearers = ['SECRET', 'PUBLIC', 'TOKEN'] as const;

const isWithoutCredential = ({ rawHeaders }: CredentialCheck['raw']): boolean =>
  headerValues(rawHeaders, 'authorization').length === 0 &&
  !hasSessionCookie(headerValues(rawHeaders, 'cookie'));

const scopesOfRole: Record<MemberRole, ReadonlySet<Scope>> = {
  OWNER: new Set(roleScopes.OWNER),
  ADMIN: new Set(roleScopes.ADMIN),
  MEMBER: new Set(roleScopes.MEMBER),
};

function refuse({ method, declaration }: Route, disabled: boolean, scopes: ReadonlySet<Scope>): void {
  if (disabled && method !== 'GET' && !declaration.whileDisabled) throw projectDisabled();
  if (!scopesOf(declaration).some((scope) => scopes.has(scope))) throw scopeMissing(declaration.scope);
}

const projectInPath = ({ params }: CredentialCheck): string =>
  ((params as Record<string, string>)['projectId'] ?? '').toLowerCase();

function headerProject(rawHeaders: readonly string[]): string {
  const values = headerValues(rawHeaders, 'x-project-id');
  return values.length === 1 ? values[0]!.trim().toLowerCase() : '';
}

/** The Bearer token of a request; null if it is malformed or the header is repeated. */
export function tokenOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | null {
  const values = headerValues(rawHeaders, 'authorization');
  const [value = ''] = values;
  if (values.length !== 1 || value.length > maxAuthorization) return null;
  const token = bearer.exec(value)?.[1] ?? '';
  return isWellFormedToken(token) || isDelegatedToken(token) ? token : null;
}
