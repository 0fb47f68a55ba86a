import {
  grantedScopes,
  roleScopes,
  scopes,
  type Caller,
  type GrantPreset,
  type MemberRole,
  type Scope,
} from '@posthorn/contracts';
import type { KeyMode } from '../api-keys/api-key-token.js';

/** Kinds of caller that a route may name; `NOBODY` is a request without any credential. */
export type CallerKind = 'SECRET' | 'PUBLIC' | 'SESSION' | 'TOKEN' | 'NOBODY';

/** What the limiter counts by, where a request is counted at all: sessions are not (the API specification, Limits). */
export interface Counted {
  keyId: string;
  isPublic: boolean;
  /** The project's own limit; null is the configured one. */
  perSecond: number | null;
}

/** A request that the guard let pass. */
export interface Admission {
  kind: CallerKind;
  caller: Caller;
  sessionId?: string;
  counted: Counted | null;
}

/** An active key with its project, as the database tells it. */
export interface KeyRow {
  tokenHash: string;
  projectId: string;
  keyId: string;
  name: string;
  legacyGrantPreset: GrantPreset;
  mode: KeyMode;
  scopes: Scope[];
  domainId: string | null;
  /** Of TEST keys alone: the sandbox of their project, and the verified addresses of its owners. */
  sandboxHandle: string | null;
  ownAddresses: string[] | null;
  disabled: boolean;
  secretPerSecond: number | null;
  publicPerSecond: number | null;
}

/** A delegated token that is in force, with what its grant and its person's role leave of it. */
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

/** A key or a delegated token, ready for the guard. */
export interface Credential extends Counted {
  kind: Extract<CallerKind, 'SECRET' | 'PUBLIC' | 'TOKEN'>;
  projectId: string;
  /** Of the person behind a delegated token. */
  role?: MemberRole;
  scopes: ReadonlySet<Scope>;
  projectDisabled: boolean;
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
  const isPublic = legacyGrantPreset === 'SENDING_ONLY';
  return {
    kind: isPublic ? 'PUBLIC' : 'SECRET',
    keyId,
    projectId,
    isPublic,
    scopes: new Set(grantedScopes(legacyGrantPreset, row.scopes)),
    projectDisabled: row.disabled,
    perSecond: isPublic ? row.publicPerSecond : row.secretPerSecond,
    caller: {
      ...{ projectId, actor: { kind: 'KEY', id: keyId, name: row.name }, mode },
      ...(isPublic ? { isPublic } : {}),
      ...(domainId ? { domainId } : {}),
      ...(row.sandboxHandle
        ? {
            sandbox: { address: `${row.sandboxHandle}@${sandboxDomain}`, recipients: row.ownAddresses ?? [] },
          }
        : {}),
    },
  };
}

/** At most what the token was issued for, what is still granted, and what the person may do. */
export const delegatedScopes = (row: Pick<TokenRow, 'role' | 'scopes' | 'grantedScopes'>): Scope[] =>
  scopes.filter(
    (scope) =>
      row.scopes.includes(scope) && row.grantedScopes.includes(scope) && roleScopes[row.role].includes(scope),
  );

/** Counted as one key for each grant, however many tokens it has. */
export function delegatedCredentialOf(row: TokenRow): Credential {
  const { tokenId, grantId, applicationName, projectId, role, disabled, secretPerSecond } = row;
  const actor = {
    kind: 'TOKEN',
    id: grantId,
    ...(applicationName ? { name: applicationName } : {}),
  } as const;
  return {
    ...{ kind: 'TOKEN', keyId: grantId, isPublic: false, perSecond: secretPerSecond, projectId, role },
    ...{
      scopes: new Set(delegatedScopes(row)),
      projectDisabled: disabled,
      caller: { projectId, actor, tokenId },
    },
  };
}
