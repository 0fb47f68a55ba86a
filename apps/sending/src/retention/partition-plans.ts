import { lowestIdOf, type PartitionPlan } from '@posthorn/database';
import type { SendingConfig } from '../config.js';

type Retention = Pick<SendingConfig, 'contentsDays' | 'emailsDays'>;
type Condition = NonNullable<PartitionPlan['keptWhile']>;

const dayMs = 86_400_000;
/** Each has an index of its own. */
const openStates = [
  `d.state = 'QUEUED'`,
  `d.state = 'HELD'`,
  `d.state IN ('CLAIMED', 'HANDOFF')`,
  `d.state = 'AMBIGUOUS'`,
];
const anyOpen = (sqlOf: (isOpen: string) => string): string =>
  openStates.map((isOpen) => `EXISTS (${sqlOf(isOpen)})`).join(' OR ');

const within = (column: string, start: number, end: number): string =>
  `${column} >= '${lowestIdOf(start)}' AND ${column} < '${lowestIdOf(end)}'`;

const hasOpenEmails: Condition = (start, end) =>
  anyOpen((isOpen) => `SELECT FROM deliveries d WHERE ${isOpen} AND ${within('d.email_id', start, end)}`);

/** The content of several e-mails has the id of the first; the others have been given theirs right after it. */
const hasContentOfOpenEmails: Condition = (start, end) =>
  anyOpen(
    (isOpen) => `
      SELECT FROM deliveries d JOIN emails e ON e.project_id = d.project_id AND e.id = d.email_id
      WHERE ${isOpen} AND ${within('d.email_id', start, end + dayMs)} AND ${within('e.content_id', start, end)}`,
  );

export const emailsPartitions = ({ emailsDays }: Pick<Retention, 'emailsDays'>): PartitionPlan => ({
  table: 'emails',
  days: 30,
  retentionDays: emailsDays,
  fillPercent: 80,
  keptWhile: hasOpenEmails,
});

/** Mail may be sent long after it was accepted: it was scheduled, delivery was paused, or the mail server refused it for now. */
export const partitionPlans = ({ contentsDays, emailsDays }: Retention): PartitionPlan[] => [
  emailsPartitions({ emailsDays }),
  { table: 'email_events', days: 30, retentionDays: emailsDays, keptWhile: hasOpenEmails },
  { table: 'engagements', days: 30, retentionDays: emailsDays },
  { table: 'email_contents', days: 7, retentionDays: contentsDays, keptWhile: hasContentOfOpenEmails },
  { table: 'email_attachments', days: 7, retentionDays: contentsDays, keptWhile: hasContentOfOpenEmails },
];
