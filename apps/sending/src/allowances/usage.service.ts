import { Injectable } from '@nestjs/common';
import {
  usageEvents,
  type SetAllowance,
  type UpdateUsage,
  type Usage,
  type UsageChanged,
} from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { allowanceReleaseWork } from './allowance-release-kind.js';
import { UsageRepository } from './usage.repository.js';
import { usageView } from './usage-view.js';

const laterMs = 60_000;

@Injectable()
export class UsageService {
  constructor(
    private readonly database: Database,
    private readonly usage: UsageRepository,
    private readonly queue: WorkQueue,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
  ) {}

  async get(projectId: string): Promise<Usage> {
    return usageView(await this.usage.get(projectId));
  }

  update(projectId: string, { whenExhausted }: UpdateUsage): Promise<Usage> {
    return this.change(projectId, { whenExhausted }, () =>
      this.usage.setWhenExhausted(projectId, whenExhausted),
    );
  }

  setAllowance(projectId: string, { limit, messages }: SetAllowance): Promise<Usage> {
    return this.change(projectId, { limit, messages }, () =>
      this.usage.setLimit(projectId, limit, messages === 'none' ? null : Number(messages)),
    );
  }

  /** `write` tells whether mail that waits has to be checked again. */
  private change(
    projectId: string,
    changed: Omit<UsageChanged, 'projectId' | 'at'>,
    write: () => Promise<boolean>,
  ): Promise<Usage> {
    return this.database.transaction(async () => {
      const at = await this.clock.now();
      await this.outbox.publish(usageEvents.changed, projectId, [{ projectId, ...changed, at }]);
      if (await write())
        await this.queue.enqueue(allowanceReleaseWork, [
          { projectId, key: 'now' },
          // For what was refused before, and is written down after this.
          { projectId, key: 'later', delayMs: laterMs },
        ]);
      return this.get(projectId);
    });
  }
}
