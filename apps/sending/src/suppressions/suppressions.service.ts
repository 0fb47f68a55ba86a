import { Injectable } from '@nestjs/common';
import { suppressionFacts, type Caller, type PutSuppression, type Suppression } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { SuppressionsRepository } from './suppressions.repository.js';

@Injectable()
export class SuppressionsService {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionsRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Once this has answered, no hand-off to the address begins. */
  async put(caller: Caller, { email, reason = 'MANUAL' }: PutSuppression): Promise<Suppression> {
    const { projectId, actor } = caller;
    const suppression = await this.database.transaction(async () => {
      await this.suppressions.lock(projectId, email);
      const created = await this.suppressions.put(projectId, email, reason, actor.kind === 'USER' ? 'DASHBOARD' : 'API');
      const row = (await this.suppressions.find(projectId, email))!;
      if (created) await this.outbox.publish(suppressionFacts.added, projectId, [{ email, reason, at: row.createdAt }]);
      return row;
    });
    this.outbox.ring();
    return suppression;
  }

  async remove(projectId: string, email: string): Promise<boolean> {
    const reason = await this.database.transaction(async () => {
      const removed = await this.suppressions.remove(projectId, email);
      if (removed) await this.outbox.publish(suppressionFacts.removed, projectId, [{ email, reason: removed, at: new Date() }]);
      return removed;
    });
    this.outbox.ring();
    return reason !== null;
  }
}
