import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkRunner, type WorkBatch, type WorkHandler, work } from '@posthorn/work';
import { DeliveryWakeUp } from '../delivery/delivery-wake-up.js';
import { UsageRepository } from './usage.repository.js';

export const allowanceReleaseWork = work('sending.allowance-releases', {
  concurrency: 2,
  spread: true,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 60_000 },
});

const atOnce = 1_000;

@Injectable()
export class AllowanceReleasesWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly usage: UsageRepository,
    private readonly wakeUp: DeliveryWakeUp,
    runner: WorkRunner,
  ) {
    runner.register(allowanceReleaseWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items;
    const released = await this.database.transaction(async () => {
      const { left, whenExhausted } = await this.usage.allowed(item!.projectId, null);
      // What would wait again stays where it is.
      const most = whenExhausted === 'HOLD' ? Math.min(left ?? atOnce, atOnce) : atOnce;
      const count = most > 0 ? await this.usage.release(item!.projectId, most) : 0;
      await (count < atOnce ? batch.complete() : batch.continueLater(batch.items));
      return count;
    });
    if (released > 0) this.wakeUp.wake();
  }
}
