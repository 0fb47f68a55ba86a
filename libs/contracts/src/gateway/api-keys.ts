import { event, query, request } from '../schema/contract.js';
import { DomainError, invalid, invalidMember } from '../common/errors.js';
import {
  Choice,
  Flag,
  Id,
  Ids,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
  Texts,
} from '../schema/fields.js';
import { grantPresets, scopes, type GrantPreset, type Scope } from '../common/scopes.js';
import { PartialFields, PickFields } from '../schema/shapes.js';

/** Limit of a list without pages (docs/api-decisions.md §1). */
export const maxActiveKeys = 200;

const reachable = ['ANY', 'CONTACTS'] as const;

/** What a public key is confined to (docs/decisions/0023). A list that is null confines nothing. */
export class Confinement {
  /** Pages that may use the key: the `Origin` of a request must be one of these. */
  @Texts(1, 20, 255, {
    describe:
      'Origins of the pages that may use the key, as browsers send them: scheme://host[:port]. Requests without an Origin header are refused. Null allows all',
    example: ['https://shop.example'],
  })
  @Nullable()
  origins: string[] | null;
  /** The only content that the key may send. */
  @Ids(1, 50, {
    describe:
      'The only templates that the key may send; sender, content, headers and files must then come from the template. Null allows all',
  })
  @Nullable()
  templateIds: string[] | null;
  @Choice(reachable, {
    describe:
      'CONTACTS: every address of a message (to, cc, bcc) must be a subscribed contact, and the key may not subscribe addresses',
  })
  recipients: (typeof reachable)[number];
  @Flag({
    describe:
      'The key may only subscribe addresses to lists and unsubscribe them, and does not receive confirmation tokens',
  })
  subscribeOnly: boolean;
}

/** Absent members confine nothing. */
export class Confine extends PartialFields(Confinement) {}

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
  /** Null for a key that is not confined, and for every secret key. */
  @Nested(() => Confinement) @Nullable() confine: Confinement | null;
  @Instant() @Nullable() lastUsedAt: Date | null;
  @Instant() createdAt: Date;
  @Instant() @Nullable() revokedAt: Date | null;
}

export class CreateApiKey extends PickFields(ApiKey, ['name']) {
  @Choice(grantPresets) @Optional() legacyGrantPreset?: GrantPreset;
  @Choice(['LIVE', 'TEST']) @Optional() mode?: 'LIVE' | 'TEST';
  @Texts(0, scopes.length, 64) @Optional() scopes?: Scope[];
  @Id() @Nullable() @Optional() domainId?: string | null;
  /** For public keys only. */
  @Nested(() => Confine) @Nullable() @Optional() confine?: Confine | null;
}

/** At least one scope must remain: without any the preset would apply again and restore removed rights. */
export class UpdateApiKey {
  @Text(1, 100) @Optional() name?: string;
  @Texts(1, scopes.length, 64) @Optional() scopes?: Scope[];
  /** Replaces the confinement as a whole; null lifts it. */
  @Nested(() => Confine) @Nullable() @Optional() confine?: Confine | null;
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
  list: query('gateway.api_keys.list', ListApiKeys, ApiKeyList),
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
    'The name, scopes, confinement or (by rotation) the secret of a key changed.',
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
export const confinedSecretKey = () =>
  invalidMember(['confine'], 'not_allowed', 'is for public keys only: legacyGrantPreset SENDING_ONLY');
export const confinesNothing = () =>
  invalidMember(['confine'], 'required', 'must confine the key to something; null lifts its confinement');
export const originsUnreadable = (indexes: readonly number[]) =>
  invalid(
    indexes.map((index) => ({
      path: ['confine', 'origins', String(index)],
      code: 'invalid_format',
      message:
        'must be an origin as browsers send it: http or https, the host in lower case, a port only if it is not the default one, no path',
    })),
  );
export const confinedTemplatesUnknown = (indexes: readonly number[]) =>
  invalid(
    indexes.map((index) => ({
      path: ['confine', 'templateIds', String(index)],
      code: 'not_found',
      message: 'must be a template of this project',
    })),
  );
