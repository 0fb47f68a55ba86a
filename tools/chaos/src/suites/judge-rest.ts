import { AudienceRecords } from '../audience/audience-records.js';
import { finding, type Finding } from '../judging/finding.js';
import { judgeWork, type WorkLeft } from '../judging/work-books.js';
import type { Stage } from './suite.js';
import type { Tenant } from './tenant.js';

interface Rest {
  stage: Stage;
  tenant: Tenant;
  /** What was to be done; each is 0 in the end. */
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
    finding('G3 G5 G10', 'work that is not finished, and dead letters', emails.length, [
      ...Object.entries(unfinished).flatMap(([what, count]) => (count > 0 ? [`${what}: ${count}`] : [])),
      ...(await records.deadLetters()),
    ]),
    finding('G10 G11', 'counts of analytics and contacts that differ from a recount', emails.length, [
      totals.counted === emails.length ? null : `e-mails ${totals.counted}, recounted ${emails.length}`,
      totals.delivered === delivered ? null : `delivered ${totals.delivered}, recounted ${delivered}`,
      ...differences.map(({ what, kept, counted }) => `${what} is ${kept}, counted ${counted}`),
    ]),
    judgeWork(work),
    finding('G18', 'a process ended', strikes, [...stage.crashes]),
  ];
}
