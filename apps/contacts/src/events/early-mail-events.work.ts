import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { work, WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { MailSummaries } from './mail-summaries.read-model.js';

const earlyMailEventsWork = work('contacts.early-mail-events', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
const key = 'early';
const soonMs = 2_000;
const laterMs = 10 * 60_000;
/** Usually the contact exists within milliseconds; after this age its event is late, or there is no contact any more. */
const newSeconds = 60;

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
    await this.queue.enqueue(earlyMailEventsWork, [{ projectId, key, delayMs: soonMs }]);
  }

  run(batch: WorkBatch): Promise<void> {
    return this.database.transaction(async () => {
      const age = await this.summaries.countEarly(batch.projectId);
      if (age === null) await batch.complete();
      else await batch.postpone(batch.items, age < newSeconds ? soonMs : laterMs);
    });
  }
}
