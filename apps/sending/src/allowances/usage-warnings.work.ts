import { Injectable } from '@nestjs/common';
import { noProject, usageEvents, usageLimits, type UsageLimit, type UsageWarned } from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { UsageRepository, type UsageRecord } from './usage.repository.js';

const everyMs = 60_000;
const atOnce = 200;
const warnedAt = [100, 80];
export const usageWarningWork = work('sending.usage-warnings', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

type Warning = Omit<UsageWarned, 'at'>;

/** Publishes once for each limit and period that 80 or 100 percent of it are used. */
@Injectable()
export class UsageWarningsWork extends RepeatedWork {
  constructor(
    private readonly database: Database,
    private readonly usage: UsageRepository,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(usageWarningWork, queue, runner);
  }

  protected async round(): Promise<number> {
    for (let after: string | null = noProject; after !== null;) after = await this.warnAfter(after);
    return everyMs;
  }

  private async warnAfter(after: string): Promise<string | null> {
    const records = await this.usage.nearLimits(after, atOnce);
    for (const record of records) await this.warn(record);
    return records.length < atOnce ? null : records.at(-1)!.projectId;
  }

  private async warn(record: UsageRecord): Promise<void> {
    const due = usageLimits.map((limit) => warningOf(record, limit)).filter((warning) => warning !== null);
    const warnings = due.filter((warning) => record.warned[warning.limit] !== periodOf(warning));
    if (warnings.length === 0) return;
    const at = await this.clock.now();
    const warned = Object.fromEntries(due.map((warning) => [warning.limit, periodOf(warning)]));
    await this.database.transaction(async () => {
      if (!(await this.usage.setWarned(record, warned))) return;
      await this.outbox.publish(
        usageEvents.warned,
        record.projectId,
        warnings.map((warning) => ({ ...warning, at })),
      );
    });
  }
}

function warningOf(record: UsageRecord, limit: UsageLimit): Warning | null {
  const [messages, emailsSent] = [record.limits[limit], record.sent[limit]];
  // A limit of 0 was meant.
  if (!messages) return null;
  const percent = warnedAt.find((share) => emailsSent * 100 >= messages * share);
  if (percent === undefined) return null;
  const resetsAt = limit === 'DAILY' ? record.nextDay : record.nextMonth;
  return { limit, percent, messages, emailsSent, whenExhausted: record.whenExhausted, resetsAt };
}

const periodOf = ({ resetsAt, percent }: Warning): string => `${resetsAt.toISOString()} ${percent}`;
