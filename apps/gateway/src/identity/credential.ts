import {
  grantedScopes,
  roleScopes,
  scopes,
  type Caller,
  type Confinement,
  type GrantPreset,
  type MemberRole,
  type Scope,
} from '@posthorn/contracts';
import type { KeyMode } from '../api-keys/api-key-token.js';
import { type CallerKind, type RateLimitedKind, scopesOf } from '../routes/route.js';
import { notInConfinedOrigin, onlySubscribes } from '../wire/errors.js';
import { headerValues } from '../wire/headers.js';
import type { Route } from '../routes/route-table.js';

/** What the rate limiter counts by: the key, the grant of a token, or the user whatever the number of their sessions. */
export interface RateLimitKey {
  keyId: string;
  kind: RateLimitedKind;
  /** Limit of the project; null means the configured limit. */
  perSecond: number | null;
}

export interface Admission {
  kind: CallerKind;
  caller: Caller;
  sessionId?: string;
  /** What the credential allows in the project. */
  scopes: ReadonlySet<Scope>;
  rateLimitKey: RateLimitKey;
}

export interface KeyRow {
  tokenHash: string;
  projectId: string;
  keyId: string;
  name: string;
  legacyGrantPreset: GrantPreset;
  mode: KeyMode;
  scopes: Scope[];
  domainId: string | null;
  confine: Confinement | null;
  /** For TEST keys only: the project's sandbox handle and the owners' verified addresses. */
  sandboxHandle: string | null;
  ownAddresses: string[] | null;
  disabled: boolean;
  secretPerSecond: number | null;
  publicPerSecond: number | null;
}

export interface TokenRow {
  tokenHash: string;
  tokenId: string;
  grantId: string;
  applicationName: string | null;
  projectId: string;
  role: MemberRole;
  scopes: string[];
  grantedScopes: string[];
  disabled: boolean;
  secretPerSecond: number | null;
}

export interface Credential extends RateLimitKey {
  kind: Exclude<RateLimitedKind, 'SESSION'>;
  projectId: string;
  role?: MemberRole;
  scopes: ReadonlySet<Scope>;
  projectDisabled: boolean;
  confinement?: Confinement | null;
  caller: Caller;
}

export interface SessionUser {
  sessionId: string;
  userId: string;
  name: string;
  email: string;
  emailVerified: boolean;
}

export interface Membership {
  role: MemberRole;
  disabled: boolean;
}

export function credentialOf(row: KeyRow, sandboxDomain: string): Credential {
  const { keyId, projectId, legacyGrantPreset, mode, domainId } = row;
  // The name that the API gives to public keys.
  const isPublic = legacyGrantPreset === 'SENDING_ONLY';
  return {
    kind: isPublic ? 'PUBLIC' : 'SECRET',
    keyId,
    projectId,
    scopes: new Set(grantedScopes(legacyGrantPreset, row.scopes)),
    projectDisabled: row.disabled,
    perSecond: isPublic ? row.publicPerSecond : row.secretPerSecond,
    confinement: row.confine,
    caller: {
      projectId,
      actor: { kind: 'KEY', id: keyId, name: row.name },
      mode,
      ...(isPublic ? { isPublic } : {}),
      ...(domainId ? { domainId } : {}),
      ...(row.confine ? { confine: enforcedByServices(row.confine) } : {}),
      ...(row.sandboxHandle
        ? {
            sandbox: { address: `${row.sandboxHandle}@${sandboxDomain}`, recipients: row.ownAddresses ?? [] },
          }
        : {}),
    },
  };
}

export const delegatedScopes = (row: Pick<TokenRow, 'role' | 'scopes' | 'grantedScopes'>): Scope[] =>
  scopes.filter(
    (scope) =>
      row.scopes.includes(scope) && row.grantedScopes.includes(scope) && roleScopes[row.role].includes(scope),
  );

/** Counted per grant, whatever its number of tokens. */
export function delegatedCredentialOf(row: TokenRow): Credential {
  const { tokenId, grantId, applicationName, projectId, role, disabled, secretPerSecond } = row;
  const actor = {
    kind: 'TOKEN',
    id: grantId,
    ...(applicationName ? { name: applicationName } : {}),
  } as const;
  return {
    kind: 'TOKEN',
    keyId: grantId,
    perSecond: secretPerSecond,
    projectId,
    role,
    scopes: new Set(delegatedScopes(row)),
    projectDisabled: disabled,
    caller: { projectId, actor, tokenId },
  };
}

/** What the gateway can decide without knowing the message (docs/decisions/0023). */
export function refuseOutside(
  { origins, subscribeOnly }: Confinement,
  { declaration }: Route,
  rawHeaders: readonly string[],
): void {
  const [origin, ...others] = headerValues(rawHeaders, 'origin');
  if (origins && (origin === undefined || others.length > 0 || !origins.includes(origin)))
    throw notInConfinedOrigin();
  if (subscribeOnly && !scopesOf(declaration).includes('lists:write')) throw onlySubscribes();
}

const enforcedByServices = ({
  templateIds,
  recipients,
  subscribeOnly,
}: Confinement): NonNullable<Caller['confine']> => ({
  ...(templateIds ? { templateIds } : {}),
  ...(recipients === 'CONTACTS' ? { onlyContacts: true } : {}),
  ...(subscribeOnly ? { subscribeOnly } : {}),
});
