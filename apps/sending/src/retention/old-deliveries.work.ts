import { Injectable } from '@nestjs/common';
import { DatabaseClock, firstKeptId } from '@posthorn/database';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { SendingConfig } from '../config.js';
import { OldDeliveriesRepository } from './old-deliveries.repository.js';
import { emailsPartitions } from './partition-plans.js';

const everyMs = 60 * 60_000;
const busyMs = 1_000;
const atOnce = 5_000;
const oldDeliveriesWork = work('sending.old-deliveries', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

/** Deliveries are not partitioned, so those of e-mails that are no longer kept are deleted. */
@Injectable()
export class OldDeliveriesWork extends RepeatedWork {
  constructor(
    private readonly deliveries: OldDeliveriesRepository,
    private readonly clock: DatabaseClock,
    private readonly config: SendingConfig,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(oldDeliveriesWork, queue, runner);
  }

  protected async round(): Promise<number> {
    const first = firstKeptId(emailsPartitions(this.config), await this.clock.now());
    return (await this.deliveries.deleteSome(first, atOnce)) === atOnce ? busyMs : everyMs;
  }
}
