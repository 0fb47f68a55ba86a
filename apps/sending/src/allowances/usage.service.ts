import { Injectable } from '@nestjs/common';
import {
  usageEvents,
  usage,
  allowances,
  type GetUsage,
  type SetAllowance,
  type UpdateUsage,
  type Usage,
  type UsageChanged,
  type SourceType,
  type UsageCount,
  type UsageLimit,
} from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { allowanceReleaseWork } from './allowance-releases.work.js';
import { UsageRepository, type UsageRecord } from './usage.repository.js';

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

  @Handles(usage.get)
  async get({ caller }: Incoming<GetUsage>): Promise<Usage> {
    return this.view(caller.projectId);
  }

  @Handles(usage.update)
  update({ caller: { projectId }, body: { whenExhausted } }: Incoming<UpdateUsage>): Promise<Usage> {
    return this.change(projectId, { whenExhausted }, () =>
      this.usage.setWhenExhausted(projectId, whenExhausted),
    );
  }

  @Handles(allowances.set)
  setAllowance({ caller: { projectId }, body: { limit, messages } }: Incoming<SetAllowance>): Promise<Usage> {
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
      return this.view(projectId);
    });
  }

  private async view(projectId: string): Promise<Usage> {
    const [record, now] = [await this.usage.get(projectId), await this.clock.now()];
    return usageView(record, now);
  }
}

function usageView({ sent, limits, whenExhausted, nextDay, nextMonth }: UsageRecord, now: Date): Usage {
  const countOf = (limit: UsageLimit): UsageCount => ({ emailsSent: sent[limit], limit: limits[limit] });
  const categories = {
    transactional: countOf('TRANSACTIONAL'),
    campaign: countOf('CAMPAIGN'),
    workflow: countOf('WORKFLOW'),
    inbound: countOf('INBOUND'),
  } satisfies Record<Lowercase<SourceType>, UsageCount>;
  return {
    plan: 'SELF_HOSTED',
    whenExhausted,
    monthly: {
      ...countOf('MONTHLY'),
      categories,
      ...forecastOf({ sent: sent.MONTHLY, limit: limits.MONTHLY }, nextMonth, now),
      resetsAt: nextMonth,
    },
    daily: {
      ...countOf('DAILY'),
      trustTier: limits.DAILY === null ? 'UNLIMITED' : 'LIMITED',
      resetsAt: nextDay,
    },
  };
}

const dayMs = 86_400_000;

/** As if every day of the month were like those that are over. */
export function forecastOf(
  { sent, limit }: { sent: number; limit: number | null },
  nextMonth: Date,
  now: Date,
): { forecast: number; limitReachedAt: Date | null } {
  const end = nextMonth.getTime();
  const begin = Date.UTC(nextMonth.getUTCFullYear(), nextMonth.getUTCMonth() - 1);
  const elapsed = Math.max(dayMs, now.getTime() - begin);
  const forecast = Math.round((sent * (end - begin)) / elapsed);
  if (limit === null || forecast < limit || sent === 0) return { forecast, limitReachedAt: null };
  const at = Math.max(now.getTime(), begin + (limit * elapsed) / sent);
  return { forecast, limitReachedAt: new Date(at) };
}
