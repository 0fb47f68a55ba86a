import { fact, request } from './contract.js';
import { DomainError } from './errors.js';
import { Choice, Id, Instant, ListOf, Nullable, Optional, Text, Texts } from './fields.js';
import { grantPresets, scopes, type GrantPreset, type Scope } from './scopes.js';
import { PickFields } from './shapes.js';

export class ApiKey {
  @Id() id: string;
  @Id() projectId: string;
  @Text(1, 100) name: string;
  /** The only surviving fragment of the secret. */
  @Text(4, 4) lastFour: string;
  @Choice(grantPresets) legacyGrantPreset: GrantPreset;
  @Choice(['LIVE', 'TEST']) mode: 'LIVE' | 'TEST';
  /** Empty: the preset decides. */
  @Texts(0, scopes.length, 64) scopes: Scope[];
  @Id() @Nullable() domainId: string | null;
  @Instant() @Nullable() lastUsedAt: Date | null;
  @Instant() createdAt: Date;
  @Instant() @Nullable() revokedAt: Date | null;
}

export class CreateApiKey extends PickFields(ApiKey, ['name']) {
  @Choice(grantPresets) @Optional() legacyGrantPreset?: GrantPreset;
  @Choice(['LIVE', 'TEST']) @Optional() mode?: 'LIVE' | 'TEST';
  @Texts(0, scopes.length, 64) @Optional() scopes?: Scope[];
}

/** Only the operator's command sees the token, once. */
export class CreatedApiKey extends ApiKey {
  @Text(1, 200) token: string;
}

export class ApiKeyId extends PickFields(ApiKey, ['id']) {}
export class ListApiKeys {}

export class ApiKeyList {
  @ListOf(() => ApiKey, 0, 10_000) keys: ApiKey[];
}

export const apiKeys = {
  create: request('gateway.api_keys.create', CreateApiKey, CreatedApiKey),
  /** Revoked ones too. */
  list: request('gateway.api_keys.list', ListApiKeys, ApiKeyList),
  revoke: request('gateway.api_keys.revoke', ApiKeyId, ApiKey),
};

export class ApiKeyFact {
  @Id() keyId: string;
  @Instant() at: Date;
}

export const apiKeyFacts = {
  created: fact('gateway.api_key.created', ApiKeyFact, 'A key was made.'),
  revoked: fact('gateway.api_key.revoked', ApiKeyFact, 'A key was revoked; gateways drop it from their caches.'),
};

export const apiKeyNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such API key');
