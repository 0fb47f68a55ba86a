import type { GrantPreset, Scope } from '@posthorn/contracts';
import { grantedScopes, scopes } from '@posthorn/contracts';
import type { KeyMode } from './api-key-token.js';

/** How far a credential reaches. */
export interface Grant {
  scopes: ReadonlySet<Scope>;
  /** A TEST key is kept to the sandbox; null is kept to nothing. */
  mode: KeyMode | null;
  /** Null is kept to no domain. */
  domainId: string | null;
}

/** What a key is asked to be. */
export interface Reach {
  legacyGrantPreset: GrantPreset;
  scopes: readonly Scope[];
  mode: KeyMode;
  domainId: string | null;
}

export const unlimited: Grant = { scopes: new Set(scopes), mode: null, domainId: null };

/** Whether a key of this reach stays within the grant: naming only a preset asks for all that it implies (the API specification). */
export function covers(grant: Grant, reach: Reach): boolean {
  const requested = grantedScopes(reach.legacyGrantPreset, reach.scopes);
  return (
    requested.every((scope) => grant.scopes.has(scope)) &&
    (grant.mode !== 'TEST' || reach.mode === 'TEST') &&
    (grant.domainId === null || grant.domainId === reach.domainId)
  );
}
