import { Injectable } from '@nestjs/common';
import {
  apiKeyNotFound,
  apiKeys,
  invalid,
  keyRevoked,
  maxActiveKeys,
  presetScopes,
  scopeEscalation,
  scopes as knownScopes,
  tooManyKeys,
  type ApiKey,
  type ApiKeyId,
  type ApiKeyList,
  type Caller,
  type CreateApiKey,
  type CreatedApiKey,
  type GrantPreset,
  type ListApiKeys,
  type PageQuery,
  type Scope,
  type UpdateApiKey,
  confinedSecretKey,
  confinesNothing,
  originsUnreadable,
  type Confine,
  type Confinement,
} from '@posthorn/contracts';
import { DatabaseClock, newId, type Page } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { ApiKeyRow } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { covers, type Grant, type Reach } from './grant.js';
import { GrantsService } from './grants.service.js';
import { KeyEvents } from './key-events.js';
import { RevealsService, type Reveal } from './reveals/reveals.service.js';

export interface RevealableKey {
  row: ApiKeyRow;
  reveal: Reveal;
}

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
    private readonly keys: ApiKeysRepository,
    private readonly grants: GrantsService,
    private readonly reveals: RevealsService,
    private readonly events: KeyEvents,
  ) {}

  @Handles(apiKeys.create)
  async create({ caller, body }: Incoming<CreateApiKey>): Promise<CreatedApiKey> {
    const { row, token } = await this.commits.before(null, () => this.mint(caller, body));
    return { ...toApiKey(row), token };
  }

  createToReveal(caller: Caller, wanted: CreateApiKey): Promise<RevealableKey> {
    return this.commits.before(null, async () => {
      const { row, token } = await this.mint(caller, wanted);
      return { row, reveal: await this.reveals.keep(row, token) };
    });
  }

  /** The old secret is valid until the commit. */
  rotate(caller: Caller, keyId: string): Promise<RevealableKey> {
    return this.commits.before(null, async () => {
      const row = await this.heldFor(caller, keyId, (held) => held);
      if (row.revokedAt) throw keyRevoked();
      const token = row.renew();
      await this.changed(row, 'api_key.rotated');
      return { row, reveal: await this.reveals.keep(row, token) };
    });
  }

  update(caller: Caller, keyId: string, { name, scopes, confine }: UpdateApiKey): Promise<ApiKeyRow> {
    return this.commits.before(null, async () => {
      const row = await this.heldFor(caller, keyId, (held) => {
        if (scopes) refuseScopes(held.legacyGrantPreset, scopes);
        return { ...held, scopes: scopes ?? held.scopes };
      });
      if (row.revokedAt) throw keyRevoked();
      if (name === undefined && scopes === undefined && confine === undefined) return row;
      if (confine !== undefined) row.confine = confinementOf(row.legacyGrantPreset, confine);
      Object.assign(row, { name: name ?? row.name, scopes: [...new Set(scopes ?? row.scopes)] });
      await this.changed(row, 'api_key.changed');
      return row;
    });
  }

  @Handles(apiKeys.revoke)
  async revokeById({ caller, body }: Incoming<ApiKeyId>): Promise<ApiKey> {
    return toApiKey(await this.revoke(caller, body.id));
  }

  revoke(caller: Caller, keyId: string): Promise<ApiKeyRow> {
    return this.commits.before(null, async () => {
      await this.grants.hold(caller);
      const row = await this.keys.lock(caller.projectId, keyId);
      if (!row) throw apiKeyNotFound();
      const at = await this.clock.now();
      if (!row.revoke(at)) return row;
      await this.keys.save(row);
      await this.reveals.forget(row);
      await this.events.revoked(row, at);
      return row;
    });
  }

  @Handles(apiKeys.list)
  async listAll({ caller }: Incoming<ListApiKeys>): Promise<ApiKeyList> {
    return { keys: (await this.list(caller.projectId)).map(toApiKey) };
  }

  list(projectId: string): Promise<ApiKeyRow[]> {
    return this.keys.list(projectId);
  }

  page(projectId: string, page: PageQuery): Promise<Page<ApiKeyRow>> {
    return this.keys.pageOf(projectId, page);
  }

  async get(projectId: string, keyId: string): Promise<ApiKeyRow> {
    const row = await this.keys.find(projectId, keyId);
    if (!row) throw apiKeyNotFound();
    return row;
  }

  private async mint(caller: Caller, wanted: CreateApiKey): Promise<{ row: ApiKeyRow; token: string }> {
    const { name, legacyGrantPreset = 'FULL', mode = 'LIVE', scopes = [], domainId = null } = wanted;
    refuseScopes(legacyGrantPreset, scopes);
    const confine = confinementOf(legacyGrantPreset, wanted.confine ?? null);
    const { projectId } = caller;
    refuseEscalation(await this.grants.hold(caller), { legacyGrantPreset, mode, scopes, domainId });
    if ((await this.keys.countActive(projectId)) >= maxActiveKeys) throw tooManyKeys();
    const row = Object.assign(new ApiKeyRow(), {
      projectId,
      id: newId(),
      name,
      legacyGrantPreset,
      mode,
      scopes: [...new Set(scopes)],
      domainId,
      confine,
      lastUsedAt: null,
      createdAt: await this.clock.now(),
      revokedAt: null,
    });
    const token = row.renew();
    await this.keys.insert(row);
    await this.events.created(row);
    return { row, token };
  }

  private async heldFor(
    caller: Caller,
    keyId: string,
    becomes: (row: ApiKeyRow) => Reach,
  ): Promise<ApiKeyRow> {
    const grant = await this.grants.hold(caller);
    const row = await this.keys.lock(caller.projectId, keyId);
    if (!row) throw apiKeyNotFound();
    refuseEscalation(grant, becomes(row));
    return row;
  }

  private async changed(row: ApiKeyRow, action: 'api_key.changed' | 'api_key.rotated'): Promise<void> {
    await this.keys.save(row);
    await this.events.changed(row, action);
  }
}

function toApiKey({ tokenHash: _secret, ...row }: ApiKeyRow): ApiKey {
  return row;
}

function refuseEscalation(grant: Grant, reach: Reach): void {
  if (!covers(grant, reach)) throw scopeEscalation();
}

function refuseScopes(preset: GrantPreset, wanted: readonly string[]): void {
  const allowed: readonly string[] = presetScopes[preset];
  const failures = wanted.flatMap((scope, index) =>
    allowed.includes(scope)
      ? []
      : [
          {
            path: ['scopes', String(index)],
            code: 'not_allowed' as const,
            message: reason(scope as Scope, preset),
          },
        ],
  );
  if (failures.length > 0) throw invalid(failures);
}

const reason = (scope: Scope, preset: GrantPreset): string =>
  knownScopes.includes(scope) ? `is not allowed for a ${preset} key` : 'is not a known scope';

/** What a key is confined to, as it is stored; null where it is not (docs/decisions/0023). */
function confinementOf(preset: GrantPreset, wanted: Confine | null): Confinement | null {
  if (wanted === null) return null;
  if (preset !== 'SENDING_ONLY') throw confinedSecretKey();
  const { origins = null, templateIds = null, recipients = 'ANY', subscribeOnly = false } = wanted;
  const unreadable = (origins ?? []).flatMap((origin, index) => (isOrigin(origin) ? [] : [index]));
  if (unreadable.length > 0) throw originsUnreadable(unreadable);
  if (!origins && !templateIds && recipients === 'ANY' && !subscribeOnly) throw confinesNothing();
  return {
    origins: origins && distinct(origins),
    templateIds: templateIds && distinct(templateIds.map((id) => id.toLowerCase())),
    recipients,
    subscribeOnly,
  };
}

/** Written as browsers write it, because it is compared with the header byte by byte. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];
