import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { ContactsConfig } from '../../config.js';
import { storedCondition } from '../parsing/parse-condition.js';
import { SegmentConditions } from '../segment-conditions.js';
import { segmentRefreshWork } from '../segment-kinds.js';
import { SegmentsRepository } from '../segments.repository.js';

/** Refreshes segments that are too costly to be live at intervals, and others on request. */
@Injectable()
export class SegmentRefreshesWork implements WorkHandler<{ requested?: boolean }> {
  constructor(
    private readonly database: Database,
    private readonly segments: SegmentsRepository,
    private readonly conditions: SegmentConditions,
    private readonly clock: DatabaseClock,
    private readonly config: ContactsConfig,
    runner: WorkRunner,
  ) {
    runner.register(segmentRefreshWork, this);
  }

  run(batch: WorkBatch<{ requested?: boolean }>): Promise<void> {
    const [{ projectId, key, payload }] = batch.items as [(typeof batch.items)[number]];
    return this.database.transaction(async () => {
      await this.segments.lockProject(projectId);
      const row = await this.segments.find(projectId, key!);
      const scheduled = row?.upkeep === 'SCHEDULED';
      if (!row || !(scheduled || payload.requested)) return batch.complete();
      const dueAt = new Date(row.refreshedAt.getTime() + this.config.segmentRefreshSeconds * 1_000);
      if (!payload.requested && dueAt > (await this.clock.now())) return batch.postpone(batch.items, dueAt);
      const condition = storedCondition(row.condition);
      // A segment that is tracked must stay live.
      if (scheduled) await this.conditions.chooseUpkeep(row, condition);
      await this.conditions.refresh(row, condition);
      await this.segments.refreshed(row);
      await batch.complete();
    });
  }
}
