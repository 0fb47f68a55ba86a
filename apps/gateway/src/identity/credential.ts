import { presetScopes, type Caller, type GrantPreset, type Scope } from '@posthorn/contracts';
import type { KeyMode } from '../api-keys/api-key-token.js';

/** An active key with its project, as the guard needs them. */
export interface CredentialRow {
  tokenHash: string;
  projectId: string;
  keyId: string;
  name: string;
  legacyGrantPreset: GrantPreset;
  mode: KeyMode;
  scopes: Scope[];
  domainId: string | null;
  disabled: boolean;
  secretPerSecond: number | null;
  publicPerSecond: number | null;
}

export interface Credential {
  keyId: string;
  projectId: string;
  isPublic: boolean;
  scopes: ReadonlySet<Scope>;
  projectDisabled: boolean;
  /** The project's own limit; null is the configured one. */
  perSecond: number | null;
  caller: Caller;
}

export function credentialOf(row: CredentialRow): Credential {
  const { keyId, projectId, legacyGrantPreset, mode, domainId } = row;
  const isPublic = legacyGrantPreset === 'SENDING_ONLY';
  return {
    keyId,
    projectId,
    isPublic,
    // A key made before there were scopes has none: its preset speaks (interface.md).
    scopes: new Set(row.scopes.length > 0 ? row.scopes : presetScopes[legacyGrantPreset]),
    projectDisabled: row.disabled,
    perSecond: isPublic ? row.publicPerSecond : row.secretPerSecond,
    caller: { projectId, actor: { kind: 'KEY', id: keyId, name: row.name }, mode, ...(domainId ? { domainId } : {}) },
  };
}
