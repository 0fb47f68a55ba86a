import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { AudienceRecords } from '../audience/audience-records.js';
import { finding, type Finding, type CountsLook, type CountsRow } from '../judging/finding.js';
import { judgeWork, type WorkLeft } from '../judging/work-books.js';
import type { Stage } from './suite.js';
import type { Tenant } from './tenant.js';

interface Rest {
  stage: Stage;
  tenant: Tenant;
  unfinished: Record<string, number>;
  work: WorkLeft;
  strikes: number;
}

/** What holds for every suite in which services are struck. */
export async function judgeRest({ stage, tenant, unfinished, work, strikes }: Rest): Promise<Finding[]> {
  const { records, projectId } = tenant;
  const differences = await new AudienceRecords(records, projectId).differences();
  const [totals, rows] = await Promise.all([records.totals(), records.emails()]);
  const emails = rows.filter(({ status }) => status !== 'VOIDED');
  const delivered = emails.filter(({ status }) => status === 'DELIVERED').length;
  return [
    await judgeUnfinished(tenant, unfinished, emails.length),
    finding('G10 G11', 'counts of analytics and contacts that differ from a recount', emails.length, [
      totals.counted === emails.length ? null : `e-mails ${totals.counted}, recounted ${emails.length}`,
      totals.delivered === delivered ? null : `delivered ${totals.delivered}, recounted ${delivered}`,
      ...differences.map(({ what, kept, counted }) => `${what} is ${kept}, counted ${counted}`),
    ]),
    judgeWork(work),
    finding('G18', 'a process ended', strikes, [...stage.crashes]),
  ];
}

/** What was to be done; each is 0 in the end. */
export const judgeUnfinished = async (
  { records }: Tenant,
  unfinished: Record<string, number>,
  looked: number,
): Promise<Finding> =>
  finding('G3 G5 G10', 'work that is not finished, and dead letters', looked, [
    ...Object.entries(unfinished).flatMap(([what, count]) => (count > 0 ? [`${what}: ${count}`] : [])),
    ...(await records.deadLetters()),
  ]);

/** The same while it is waited for. */
export async function unfinishedOf({
  records,
  projectId,
  knowsReaders,
}: Tenant): Promise<Record<string, number>> {
  const unfinished = await records.unfinished();
  if (!knowsReaders) return { ...unfinished };
  const differing = await new AudienceRecords(records, projectId).mailDifferences();
  return { ...unfinished, summaries: differing.length };
}

const everyMs = 1_500;

/** Looks at the sums of a service again and again; `sql` compares all those of a project in one statement. */
export class CountsWatch {
  private readonly looks: CountsLook[] = [];
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly tenant: Tenant,
    private readonly service: ServiceName,
    private readonly sql: string,
  ) {
    this.running = this.run();
  }

  /** Returns all looks, the last of which is made now. */
  async stop(): Promise<readonly CountsLook[]> {
    this.stopped = true;
    await this.running;
    await this.look();
    return this.looks;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      // The database may be away.
      await this.look().catch(() => undefined);
      await delay(everyMs);
    }
  }

  private async look(): Promise<void> {
    this.looks.push({ at: Date.now(), rows: await this.tenant.rows<CountsRow>(this.service, this.sql) });
  }
}
