import { event, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Choice, Id, Instant, ListOf, Nullable, Optional, Text, Texts } from '../schema/fields.js';
import { grantPresets, scopes, type GrantPreset, type Scope } from '../common/scopes.js';
import { PickFields } from '../schema/shapes.js';

/** Unpaginated lists are bounded (docs/api-decisions.md §1). */
export const maxActiveKeys = 200;

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
  /** Confines the sender to one domain of the project. */
  @Id() @Nullable() @Optional() domainId?: string | null;
}

/** A key keeps at least one scope: without any its preset would speak, and give back what was taken. */
export class UpdateApiKey {
  @Text(1, 100) @Optional() name?: string;
  @Texts(1, scopes.length, 64) @Optional() scopes?: Scope[];
}

/** A key whose secret waits to be read once, by a member of the project. */
export class ApiKeyToReveal extends ApiKey {
  @Text(1, 4096) revealUrl: string;
  @Instant() revealExpiresAt: Date;
}

export class RevealQuery {
  @Text(1, 200) token: string;
  /** Says that a browser's person has decided already: the secret is shown at once. */
  @Choice(['1']) @Optional() confirm?: '1';
}

export class RevealedApiKey {
  @Text(1, 200) token: string;
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

export class ApiKeyEvent {
  @Id() keyId: string;
  @Instant() at: Date;
}

export const apiKeyEvents = {
  created: event('gateway.api_key.created', ApiKeyEvent, 'A key was made.'),
  changed: event(
    'gateway.api_key.changed',
    ApiKeyEvent,
    'A key has another name, other scopes or, rotated, another secret.',
  ),
  revoked: event(
    'gateway.api_key.revoked',
    ApiKeyEvent,
    'A key was revoked; gateways drop it from their caches.',
  ),
};

export const apiKeyNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such API key');
export const revealNotFound = () =>
  new DomainError(
    'not_found',
    'resource_not_found',
    'There is nothing to reveal: the link is none of this key',
  );
export const revealOver = () =>
  new DomainError('gone', 'resource_not_found', 'The link was used, or is too old');
export const keyRevoked = () => new DomainError('malformed', 'key_revoked', 'The API key is revoked');
export const scopeEscalation = () =>
  new DomainError(
    'malformed',
    'scope_escalation',
    'A credential may not make a key that reaches further than itself',
  );
export const tooManyKeys = () =>
  new DomainError('conflict', 'conflict', `A project may have ${maxActiveKeys} active API keys`);
