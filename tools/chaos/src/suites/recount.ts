import { AudienceRecords } from '../audience/audience-records.js';
import { finding, type Finding } from '../judging/finding.js';
import { counters } from '../judging/judge.js';
import type { Tenant } from './tenant.js';

/** Counters, contacts and summaries of mail, read against the e-mails of each project. */
export async function recount(tenants: readonly Tenant[]): Promise<Finding> {
  const found = await Promise.all(tenants.map((tenant) => recountOne(tenant)));
  return finding(
    'G10 G11',
    'counts of analytics and contacts, contacts and summaries that differ from a recount',
    found.reduce((sum, { looked }) => sum + looked, 0),
    found.flatMap(({ broken }) => broken),
  );
}

async function recountOne({
  name,
  records,
  projectId,
  knowsReaders,
}: Tenant): Promise<{ looked: number; broken: string[] }> {
  const audience = new AudienceRecords(records, projectId);
  const [emails, totals, contacts, differences] = await Promise.all([
    records.emails(),
    records.totals(),
    records.contacts(),
    knowsReaders ? audience.differences() : audience.countDifferences(),
  ]);
  const { looked, broken } = counters({ emails, totals, contacts: contacts.map(({ email }) => email) });
  return {
    looked: looked + contacts.length,
    broken: [
      ...broken.map((line) => `${name}: ${line}`),
      ...differences.map(({ what, kept, counted }) => `${name}: ${what} is ${kept}, counted ${counted}`),
    ],
  };
}

/** What is left to be done for all of them; each is 0 in the end. */
export async function unfinishedOf(tenants: readonly Tenant[]): Promise<Record<string, number>> {
  const sum: Record<string, number> = {};
  for (const { records, projectId, knowsReaders } of tenants) {
    const { missingContacts, uncounted, ...shared } = await records.unfinished();
    Object.assign(sum, shared);
    sum['uncounted'] = (sum['uncounted'] ?? 0) + uncounted;
    sum['missingContacts'] = (sum['missingContacts'] ?? 0) + missingContacts;
    if (!knowsReaders) continue;
    sum['summaries'] =
      (sum['summaries'] ?? 0) + (await new AudienceRecords(records, projectId).mailDifferences()).length;
  }
  return sum;
}
