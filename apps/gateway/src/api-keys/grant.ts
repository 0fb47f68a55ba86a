import type { GrantPreset, Scope } from '@posthorn/contracts';
import { grantedScopes, scopes } from '@posthorn/contracts';
import type { KeyMode } from './api-key-token.js';

export interface Grant {
  scopes: ReadonlySet<Scope>;
  /** TEST restricts to the sandbox; null is unrestricted. */
  mode: KeyMode | null;
  domainId: string | null;
}

export interface Reach {
  legacyGrantPreset: GrantPreset;
  scopes: readonly Scope[];
  mode: KeyMode;
  domainId: string | null;
}

export const unlimited: Grant = { scopes: new Set(scopes), mode: null, domainId: null };

/** A key with only a preset has all scopes of the preset. */
export function covers(grant: Grant, reach: Reach): boolean {
  const requested = grantedScopes(reach.legacyGrantPreset, reach.scopes);
  return (
    requested.every((scope) => grant.scopes.has(scope)) &&
    (grant.mode !== 'TEST' || reach.mode === 'TEST') &&
    (grant.domainId === null || grant.domainId === reach.domainId)
  );
}
