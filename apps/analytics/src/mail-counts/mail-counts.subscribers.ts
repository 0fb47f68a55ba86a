import { Injectable } from '@nestjs/common';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { CountDeltas } from './count-deltas.repository.js';
import { countedEvents, CountedRows, type MailItem } from './counted.js';

/** Each event counts once, because its inbox row commits together with its deltas. */
@Injectable()
export class MailCountsSubscribers {
  constructor(
    private readonly deltas: CountDeltas,
    private readonly queue: WorkQueue,
  ) {}

  @OnEachEvent(countedEvents, 'counts')
  async onMail({ projectId, items, origins }: DomainEvent<MailItem>): Promise<void> {
    const rebuiltUpTo = await this.deltas.shareRebuild(projectId);
    const [rebuilt, others] = [new CountedRows(), new CountedRows()];
    for (const [index, item] of items.entries()) {
      const isRebuilt = rebuiltUpTo !== null && item.emailId <= rebuiltUpTo;
      (isRebuilt ? rebuilt : others).add(origins[index]!.event, item);
    }
    await this.deltas.insert(projectId, [
      ...others.list().map((row) => ({ ...row, live: true, rebuilt: false })),
      ...rebuilt.list().map((row) => ({ ...row, live: true, rebuilt: true })),
    ]);
    this.queue.wakeAfterCommit();
  }
}
