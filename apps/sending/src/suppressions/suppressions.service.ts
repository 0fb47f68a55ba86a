import { Injectable } from '@nestjs/common';
import {
  suppressionEvents,
  suppressionNotFound,
  suppressions,
  type ListSuppressions,
  type PutSuppression,
  type RemovedSuppression,
  type Suppression,
  type SuppressionFilter,
  type SuppressionPage,
  type SuppressionAddress,
} from '@posthorn/contracts';
import { Database, totalCap } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { SuppressionsRepository } from './suppressions.repository.js';

@Injectable()
export class SuppressionsService {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionsRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Once this has answered, no hand-off to the address begins. */
  @Handles(suppressions.put)
  async put({ caller, body: { email, reason = 'MANUAL' } }: Incoming<PutSuppression>): Promise<Suppression> {
    const { projectId, actor } = caller;
    const suppression = await this.database.transaction(async () => {
      await this.suppressions.lock(projectId, email);
      const created = await this.suppressions.put(
        projectId,
        email,
        reason,
        actor.kind === 'USER' ? 'DASHBOARD' : 'API',
      );
      const row = (await this.suppressions.find(projectId, email))!;
      if (created)
        await this.outbox.publish(suppressionEvents.added, projectId, [{ email, reason, at: row.createdAt }]);
      return row;
    });
    return suppression;
  }

  /** Many at once, in the ambient transaction and under the locks of their addresses. Returns the new ones. */
  async add(
    projectId: string,
    rows: readonly Pick<Suppression, 'email' | 'reason'>[],
    origin: Pick<Suppression, 'source' | 'createdAt'>,
  ): Promise<Suppression[]> {
    const created = await this.suppressions.putAll(projectId, rows, origin);
    await this.outbox.publish(
      suppressionEvents.added,
      projectId,
      created.map(({ email, reason, createdAt }) => ({ email, reason, at: createdAt })),
    );
    return created;
  }

  @Handles(suppressions.get)
  async get({ caller: { projectId }, body: { email } }: Incoming<SuppressionAddress>): Promise<Suppression> {
    const found = await this.suppressions.find(projectId, email);
    if (!found) throw suppressionNotFound();
    return found;
  }

  @Handles(suppressions.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListSuppressions>): Promise<SuppressionPage> {
    const [page, erased, total] = await Promise.all([
      this.suppressions.list(projectId, query),
      this.suppressions.countErased(projectId),
      query.withTotal ? this.totalOf(projectId, query) : {},
    ]);
    return { ...page, erased, ...total };
  }

  @Handles(suppressions.remove)
  async remove({
    caller: { projectId },
    body: { email },
  }: Incoming<SuppressionAddress>): Promise<RemovedSuppression> {
    const removed = await this.database.transaction(async () => {
      // Waits for an erasure in progress, which moves the row to the hash.
      await this.suppressions.lock(projectId, email);
      const rows = await this.suppressions.remove(projectId, email);
      const at = new Date();
      await this.outbox.publish(
        suppressionEvents.removed,
        projectId,
        rows.map((row) => ({ ...row, at })),
      );
      return rows;
    });
    return { email, deleted: removed.length > 0 };
  }

  /** The total of all is exact; of one reason it is capped (docs/api-decisions.md §1). */
  private async totalOf(
    projectId: string,
    { reason }: SuppressionFilter,
  ): Promise<Pick<SuppressionPage, 'total' | 'totalIsCapped'>> {
    const total = await this.suppressions.count(projectId, reason, reason ? totalCap + 1 : null);
    return reason && total > totalCap ? { total: totalCap, totalIsCapped: true } : { total };
  }
}
