import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { work, WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { SegmentDirtyRepository } from '../segments/segment-dirty.repository.js';
import { MembershipsRepository } from './memberships.repository.js';

/** A list that was deleted and still has memberships, by its id. */
const deletedListWork = work('contacts.deleted-lists', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

/** Few enough for the commit that a caller waits for. */
const atOnce = 5_000;

/** The memberships of lists that are gone. Those of a large list go in steps, after its deletion was answered. */
@Injectable()
export class DeletedLists implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly memberships: MembershipsRepository,
    private readonly dirty: SegmentDirtyRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(deletedListWork, this);
  }

  /** Within the transaction of the deletion. */
  async take(projectId: string, listId: string): Promise<void> {
    if (!(await this.empty(projectId, listId)))
      await this.queue.enqueue(deletedListWork, [{ projectId, key: listId }]);
  }

  run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    return this.database.transaction(async () => {
      if (await this.empty(item!.projectId, item!.key!)) await batch.complete();
      else await batch.continueLater(batch.items);
    });
  }

  /** Answers whether none is left. */
  private async empty(projectId: string, listId: string): Promise<boolean> {
    const removed = await this.memberships.removeFrom(projectId, listId, atOnce);
    await this.dirty.mark(removed.map((contactId) => ({ projectId, contactId })));
    return removed.length < atOnce;
  }
}
