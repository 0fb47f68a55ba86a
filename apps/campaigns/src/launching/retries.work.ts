import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { RecipientsRepository, type Retry } from '../recipients/recipients.repository.js';
import { afterDeathMs, retryFailedWork } from './launch-kinds.js';
import { LaunchesRepository } from './launches.repository.js';

/** For more the planner reads the whole table instead of looking them up. */
const atOnce = 1_000;

/** Queues what failed until the retry was asked for, and closes the ledger again. */
@Injectable()
export class RetriesWork implements WorkHandler<Retry> {
  constructor(
    private readonly database: Database,
    private readonly launches: LaunchesRepository,
    private readonly recipients: RecipientsRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(retryFailedWork, this);
  }

  async run(batch: WorkBatch<Retry>): Promise<void> {
    const [item] = batch.items;
    const launch = await this.launches.find(item!.projectId, item!.key!);
    if (!launch) return;
    await this.database.transaction(async () => {
      await batch.hold(item!);
      const queued = await this.recipients.retryFailed(launch, { ...item!.payload, limit: atOnce });
      if (queued === atOnce) return batch.continueLater(batch.items);
      await this.launches.frozenTo(launch, null, true);
      await batch.complete();
    });
  }

  async dead({ projectId, key, payload }: WorkItem<Retry>): Promise<void> {
    await this.queue.enqueue(retryFailedWork, [{ projectId, key: key!, payload, delayMs: afterDeathMs }]);
  }
}
