import { Injectable } from '@nestjs/common';
import { apiKeyFacts, type ApiKeyFact, type FactContract, type IdentityAction } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { Audit } from '../audit/audit.js';
import type { ApiKeyRow } from './api-key.entity.js';

interface Deed {
  fact: FactContract<ApiKeyFact>;
  action: IdentityAction;
  at: Date;
}

/** What is told and written down of a key, within the transaction of its change. */
@Injectable()
export class KeyFacts {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  created(row: ApiKeyRow): Promise<void> {
    return this.tell(row, { fact: apiKeyFacts.created, action: 'api_key.created', at: row.createdAt });
  }

  async changed(row: ApiKeyRow, action: 'api_key.changed' | 'api_key.rotated'): Promise<void> {
    await this.tell(row, { fact: apiKeyFacts.changed, action, at: await this.clock.now() });
  }

  revoked(row: ApiKeyRow, at: Date): Promise<void> {
    return this.tell(row, { fact: apiKeyFacts.revoked, action: 'api_key.revoked', at });
  }

  private async tell({ projectId, id }: ApiKeyRow, { fact, action, at }: Deed): Promise<void> {
    await this.outbox.publish(fact, projectId, [{ keyId: id, at }]);
    await this.audit.record(projectId, action, id);
  }
}
