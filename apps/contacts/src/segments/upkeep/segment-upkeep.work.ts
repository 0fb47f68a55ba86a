import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { segmentUpkeepWork, segmentRefreshWork } from '../segment-kinds.js';
import { SegmentUpkeep } from './segment-upkeep.js';
import { UpkeepRepository } from './upkeep.repository.js';
import { ContactsConfig } from '../../config.js';
import { storedCondition } from '../parsing/parse-condition.js';
import { SegmentConditions } from '../segment-conditions.js';
import { SegmentsRepository } from '../segments.repository.js';

const busyDelayMs = 200;

@Injectable()
export class SegmentUpkeepWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly upkeep: SegmentUpkeep,
    private readonly rows: UpkeepRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(segmentUpkeepWork, this);
  }

  run(batch: WorkBatch): Promise<void> {
    const projectIds = batch.items.map(({ projectId }) => projectId);
    const of = (ids: readonly string[]) => batch.items.filter(({ projectId }) => ids.includes(projectId));
    return this.database.transaction(async () => {
      const { done, more, busy } = await this.upkeep.round(projectIds, await this.clock.now());
      await batch.continueLater(of(more));
      await batch.postpone(of(busy), busyDelayMs);
      await batch.complete(of(done));
      const next = await this.rows.nextDue(done);
      await this.queue.enqueue(
        segmentUpkeepWork,
        next.map(({ projectId, dueAt }) => ({ projectId, key: 'time', dueAt })),
      );
    });
  }
}

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
