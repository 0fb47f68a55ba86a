import { Injectable } from '@nestjs/common';
import {
  apiKeyFacts,
  apiKeyNotFound,
  DomainError,
  invalid,
  presetScopes,
  projectNotFound,
  scopes as knownScopes,
  type CreateApiKey,
  type GrantPreset,
  type Scope,
} from '@posthorn/contracts';
import { Database, DatabaseClock, newId } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { Audit } from '../audit/audit.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { hashOfToken, lastFourOf, mintToken } from './api-key-token.js';
import { ApiKeyRow } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Unpaginated lists are bounded (contract.md §1). */
const maxActiveKeys = 200;

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly keys: ApiKeysRepository,
    private readonly projects: ProjectsRepository,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  /** The only time that the token is seen. */
  async create(projectId: string, wanted: CreateApiKey): Promise<{ row: ApiKeyRow; token: string }> {
    const { name, legacyGrantPreset = 'FULL', mode = 'LIVE', scopes = [] } = wanted;
    refuseScopes(legacyGrantPreset, scopes);
    const token = mintToken(legacyGrantPreset, mode);
    const row = Object.assign(new ApiKeyRow(), {
      projectId,
      id: newId(),
      name,
      tokenHash: hashOfToken(token),
      lastFour: lastFourOf(token),
      legacyGrantPreset,
      mode,
      scopes: [...new Set(scopes)],
      domainId: null,
      lastUsedAt: null,
      createdAt: await this.clock.now(),
      revokedAt: null,
    });
    await this.database.transaction(async () => {
      // The project's row is held, so that the cap counts every key there is.
      if (!(await this.projects.findForUpdate(projectId))) throw projectNotFound();
      if ((await this.keys.countActive(projectId)) >= maxActiveKeys) throw tooManyKeys();
      await this.keys.insert(row);
      await this.outbox.publish(apiKeyFacts.created, projectId, [{ keyId: row.id, at: row.createdAt }]);
      await this.audit.record(projectId, 'api_key.created', row.id);
    });
    this.outbox.ring();
    return { row, token };
  }

  list(projectId: string): Promise<ApiKeyRow[]> {
    return this.keys.list(projectId);
  }

  async revoke(projectId: string, keyId: string): Promise<ApiKeyRow> {
    const at = await this.clock.now();
    const row = await this.database.transaction(async () => {
      const found = await this.keys.find(projectId, keyId);
      if (!found) throw apiKeyNotFound();
      if (found.revoke(at)) {
        await this.keys.save(found);
        await this.outbox.publish(apiKeyFacts.revoked, projectId, [{ keyId, at }]);
        await this.audit.record(projectId, 'api_key.revoked', keyId);
      }
      return found;
    });
    this.outbox.ring();
    return row;
  }
}

const tooManyKeys = () => new DomainError('conflict', 'conflict', `A project may have ${maxActiveKeys} active API keys`);

function refuseScopes(preset: GrantPreset, wanted: readonly string[]): void {
  const allowed: readonly string[] = presetScopes[preset];
  const failures = wanted.flatMap((scope, index) =>
    allowed.includes(scope)
      ? []
      : [{ path: ['scopes', String(index)], code: 'not_allowed' as const, message: reason(scope as Scope, preset) }],
  );
  if (failures.length > 0) throw invalid(failures);
}

const reason = (scope: Scope, preset: GrantPreset): string =>
  knownScopes.includes(scope) ? `is beyond what a ${preset} key may carry` : 'is no scope';
