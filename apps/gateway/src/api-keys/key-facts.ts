import { Injectable } from '@nestjs/common';
import { apiKeyFacts, type ApiKeyFact, type FactContract } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { ApiKeyRow } from './api-key.entity.js';

/** What is told of a key, within the transaction of its change. */
@Injectable()
export class KeyFacts {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly outbox: Outbox,
  ) {}

  created(row: ApiKeyRow): Promise<void> {
    return this.tell(apiKeyFacts.created, row, row.createdAt);
  }

  async changed(row: ApiKeyRow): Promise<void> {
    await this.tell(apiKeyFacts.changed, row, await this.clock.now());
  }

  revoked(row: ApiKeyRow, at: Date): Promise<void> {
    return this.tell(apiKeyFacts.revoked, row, at);
  }

  private tell(fact: FactContract<ApiKeyFact>, { projectId, id }: ApiKeyRow, at: Date): Promise<void> {
    return this.outbox.publish(fact, projectId, [{ keyId: id, at }]);
  }
}
