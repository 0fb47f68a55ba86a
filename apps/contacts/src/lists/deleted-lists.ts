import { Injectable } from '@nestjs/common';
import { type Caller, listUsed, listUses } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { work, WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { Bus } from '@posthorn/messaging';
import { SegmentDirtyRepository } from '../segments/segment-dirty.repository.js';
import { MembershipsRepository } from './memberships.repository.js';

const time = { timeoutShare: 0.45 };

/** A list that a campaign still needs is not deleted; nor is any while campaigns do not answer. */
@Injectable()
export class UsedLists {
  constructor(private readonly bus: Bus) {}

  async refuse(caller: Caller, id: string): Promise<void> {
    const { names } = await this.bus.call(listUses.campaigns, caller, { id }, time);
    if (names.length > 0) throw listUsed(names.map((name) => `the campaign ${name}`));
  }
}

const deletedListWork = work('contacts.deleted-lists', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

/** Few enough for a commit within the deadline of a call. */
const batchSize = 5_000;

/** Removes the memberships of deleted lists; for a large list that goes on after the answer. */
@Injectable()
export class DeletedLists implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly memberships: MembershipsRepository,
    private readonly dirty: SegmentDirtyRepository,
    private readonly queue: WorkQueue,
    private readonly used: UsedLists,
    runner: WorkRunner,
  ) {
    runner.register(deletedListWork, this);
  }

  refuseUsed(caller: Caller, listId: string): Promise<void> {
    return this.used.refuse(caller, listId);
  }

  async removeMemberships(projectId: string, listId: string): Promise<void> {
    if (!(await this.removeBatch(projectId, listId)))
      await this.queue.enqueue(deletedListWork, [{ projectId, key: listId }]);
  }

  run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    return this.database.transaction(async () => {
      if (await this.removeBatch(item!.projectId, item!.key!)) await batch.complete();
      else await batch.continueLater(batch.items);
    });
  }

  private async removeBatch(projectId: string, listId: string): Promise<boolean> {
    const removed = await this.memberships.removeFrom(projectId, listId, batchSize);
    await this.dirty.mark(removed.map((contactId) => ({ projectId, contactId })));
    return removed.length < batchSize;
  }
}
