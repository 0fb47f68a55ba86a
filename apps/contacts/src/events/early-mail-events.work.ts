import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { work, WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { MailSummaries, type EarlyLeft } from './mail-summaries.read-model.js';

const earlyMailEventsWork = work('contacts.early-mail-events', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
const key = 'early';
/** Usually the contact exists within milliseconds; an old event is late, or its contact is gone. */
const delayMs: Record<Exclude<EarlyLeft, 'NONE' | 'MORE'>, number> = { NEW: 2_000, OLD: 60_000 };

/** Counts the mail events that arrived before the event that created their contact. */
@Injectable()
export class EarlyMailEvents implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly summaries: MailSummaries,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(earlyMailEventsWork, this);
  }

  async arrived(projectId: string): Promise<void> {
    await this.queue.enqueue(earlyMailEventsWork, [{ projectId, key, delayMs: delayMs.NEW }]);
  }

  run(batch: WorkBatch): Promise<void> {
    return this.database.transaction(async () => {
      const left = await this.summaries.countEarly(batch.projectId);
      if (left === 'NONE') await batch.complete();
      else if (left === 'MORE') await batch.continueLater(batch.items);
      else await batch.postpone(batch.items, delayMs[left]);
    });
  }
}
