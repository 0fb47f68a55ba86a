import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { segmentUpkeepWork } from '../segment-kinds.js';
import { SegmentUpkeep } from './segment-upkeep.js';
import { UpkeepRepository } from './upkeep.repository.js';

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
