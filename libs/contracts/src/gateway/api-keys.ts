import { event, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Choice, Id, Instant, ListOf, Nullable, Optional, Text, Texts } from '../schema/fields.js';
import { grantPresets, scopes, type GrantPreset, type Scope } from '../common/scopes.js';
import { PickFields } from '../schema/shapes.js';

/** Limit of a list without pages (docs/api-decisions.md §1). */
export const maxActiveKeys = 200;

export class ApiKey {
  @Id() id: string;
  @Id() projectId: string;
  @Text(1, 100) name: string;
  /** The only stored part of the secret. */
  @Text(4, 4) lastFour: string;
  @Choice(grantPresets) legacyGrantPreset: GrantPreset;
  @Choice(['LIVE', 'TEST']) mode: 'LIVE' | 'TEST';
  /** When empty, the preset applies. */
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
  @Id() @Nullable() @Optional() domainId?: string | null;
}

/** At least one scope must remain: without any the preset would apply again and restore removed rights. */
export class UpdateApiKey {
  @Text(1, 100) @Optional() name?: string;
  @Texts(1, scopes.length, 64) @Optional() scopes?: Scope[];
}

/** A key whose secret a member of the project can reveal once. */
export class ApiKeyToReveal extends ApiKey {
  @Text(1, 4096) revealUrl: string;
  @Instant() revealExpiresAt: Date;
}

export class RevealQuery {
  @Text(1, 200) token: string;
  /** Show the secret at once, without asking for confirmation on a page. */
  @Choice(['1']) @Optional() confirm?: '1';
}

export class RevealedApiKey {
  @Text(1, 200) token: string;
}

/** The token is returned once, and to the operator's command only. */
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
  list: request('gateway.api_keys.list', ListApiKeys, ApiKeyList),
  revoke: request('gateway.api_keys.revoke', ApiKeyId, ApiKey),
};

export class ApiKeyEvent {
  @Id() keyId: string;
  @Instant() at: Date;
}

export const apiKeyEvents = {
  created: event('gateway.api_key.created', ApiKeyEvent, 'A key was created.'),
  changed: event(
    'gateway.api_key.changed',
    ApiKeyEvent,
    'The name, scopes or (by rotation) the secret of a key changed.',
  ),
  revoked: event(
    'gateway.api_key.revoked',
    ApiKeyEvent,
    'A key was revoked; gateways drop it from their caches.',
  ),
};

export const apiKeyNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such API key');
export const revealNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'The reveal link is not valid for this key');
export const revealOver = () =>
  new DomainError('gone', 'resource_not_found', 'The reveal link was used or has expired');
export const keyRevoked = () => new DomainError('malformed', 'key_revoked', 'The API key is revoked');
export const scopeEscalation = () =>
  new DomainError(
    'malformed',
    'scope_escalation',
    'A credential cannot create a key with more rights than its own',
  );
export const tooManyKeys = () =>
  new DomainError('conflict', 'conflict', `A project may have at most ${maxActiveKeys} active API keys`);
