import { finding, type Finding } from '../judging/finding.js';
import { judgeUnfinished, unfinishedOf } from './rest.js';
import { countedBy, countsText, type Stage, type Verdict } from './suite.js';
import type { Tenant } from './tenant.js';

export interface ReportedMail {
  id: string;
  to: string;
  events: readonly string[];
}

/** How often a process or Postgres ended while a message was claimed, or in hand-off, which is counted in both. */
export interface Interruptions {
  claimed: ReadonlyMap<string, number>;
  handedOff: ReadonlyMap<string, number>;
}

interface ReportedMails {
  reported: ReadonlyMap<string, ReportedMail>;
  interruptions: Interruptions;
}

export interface Row {
  id: string;
  to: string;
  status: string;
  /** Failed because two unknown outcomes in a row were never reported. */
  isUnconfirmed: boolean;
  /** Failed because its processes ended three times. */
  isGivenUp: boolean;
  /** Sent again after an unknown outcome. */
  isResent: boolean;
  reports: number;
  suppressed: string | null;
  /** The names of the events that were published, with the type of a bounce. */
  published: string[];
}

const rowsSql = `
  SELECT e.id, e.to_email AS "to", e.status, s.reason AS suppressed,
    e.status = 'FAILED' AND e.failure_kind = 'delivery_unconfirmed' AND coalesce(d.resends, 0) > 0 AS "isUnconfirmed",
    e.status = 'FAILED' AND coalesce(e.error LIKE 'The message was given up: %', false) AS "isGivenUp", coalesce(d.resends, 0) > 0 AS "isResent",
    (SELECT count(*)::int FROM email_events v WHERE v.project_id = e.project_id AND v.email_id = e.id AND v.source IS NOT NULL) AS reports,
    coalesce(p.published, '{}') AS published
  FROM emails e
  LEFT JOIN deliveries d ON d.project_id = e.project_id AND d.email_id = e.id AND d.position = 0
  LEFT JOIN suppressions s ON s.project_id = e.project_id AND s.email = e.to_email
  LEFT JOIN (
    SELECT item->>'emailId' AS id, array_agg(replace(event_name, 'sending.email.', '') || coalesce(' ' || (item->>'bounceType'), '')) AS published
    FROM outbox, jsonb_array_elements(items) AS item
    WHERE project_id = $1 AND event_name LIKE 'sending.email.%' AND event_name <> 'sending.email.accepted' GROUP BY 1
  ) AS p ON p.id = e.id::text
  WHERE e.project_id = $1 AND e.status <> 'VOIDED'`;

const countedSql = `
  SELECT coalesce(sum(delivered), 0)::int AS delivered, coalesce(sum(bounced), 0)::int AS bounces
  FROM (SELECT delivered, bounced FROM mail_counts WHERE project_id = $1 AND kind = 'all' AND NOT hourly
    UNION ALL SELECT delivered, bounced FROM mail_count_deltas WHERE project_id = $1 AND kind = 'all' AND live) AS counts`;

const recountSql = `
  SELECT count(delivered_at)::int AS delivered, count(bounced_at)::int AS bounces FROM emails WHERE project_id = $1 AND status <> 'VOIDED'`;

/** By the rules of docs/decisions/0025-provider-events.md, from what the provider says that it reported. */
function expectedOf(events: readonly string[]): {
  status: string;
  suppressed: string | null;
  published: string[];
} {
  const has = (event: string) => events.includes(event);
  const published = [
    ...(events.length === 1 && has('blocked') ? [] : ['sent']),
    ...(has('delivered') ? ['delivered'] : []),
    ...(has('deferred') ? ['delayed'] : []),
    ...(has('soft_bounce') ? ['bounced Transient'] : []),
    ...(has('hard_bounce') ? ['bounced Permanent'] : []),
    ...(has('spam') ? ['complained'] : []),
    ...(has('blocked') ? ['failed'] : []),
  ];
  const status = has('hard_bounce')
    ? 'BOUNCED'
    : has('delivered')
      ? 'DELIVERED'
      : has('blocked')
        ? 'REJECTED'
        : has('soft_bounce')
          ? 'FAILED'
          : 'DELIVERY_DELAY';
  return {
    status,
    suppressed: has('spam') ? 'COMPLAINT' : has('hard_bounce') ? 'HARD_BOUNCE' : null,
    published,
  };
}

const simulatedStories: Readonly<Record<string, readonly string[]>> = {
  success: ['delivered'],
  bounce: ['hard_bounce'],
  softbounce: ['soft_bounce'],
  delay: ['deferred'],
  reject: ['blocked'],
};

interface Counted {
  delivered: number;
  bounces: number;
}

/** What analytics counted, and what a recount of the e-mails gives. */
async function counts(tenant: Tenant): Promise<{ counted: Counted; recounted: Counted }> {
  const [counted] = await tenant.rows<Counted>('analytics', countedSql);
  const [recounted] = await tenant.rows<Counted>('sending', recountSql);
  return { counted: counted!, recounted: recounted! };
}

/** Everything that is still to be done; an event of a message that bounced afterwards is counted, too. */
export async function unfinishedReports(tenant: Tenant): Promise<Record<string, number>> {
  const { counted, recounted } = await counts(tenant);
  return {
    ...(await unfinishedOf(tenant)),
    deliveredLeft: Math.max(0, recounted.delivered - counted.delivered),
    bouncesLeft: Math.max(0, recounted.bounces - counted.bounces),
  };
}

export async function judgeProviderEvents(
  { crashes, options }: Stage,
  tenant: Tenant,
  { reported, interruptions }: ReportedMails,
): Promise<Verdict> {
  const rows = await tenant.rows<Row>('sending', rowsSql);
  const { counted, recounted } = await counts(tenant);
  const unfinished = await unfinishedReports(tenant);
  const storyOf = ({ id, to }: Row) =>
    reported.get(id)?.events ?? simulatedStories[/^(\w+)\+/.exec(to)?.[1] ?? ''] ?? null;
  const excused = excusedOf(
    rows.filter(({ id, reports }) => reports === 0 && !reported.has(id)),
    interruptions,
  );
  return {
    lines: [
      `Kills: ${options.faults}; messages: ${rows.length}, reported: ${reported.size}, given up unreported: ${excused.size}`,
      `Statuses: ${countsText(Object.entries(countedBy(rows, ({ status }) => status)))}`,
      `In the end: ${JSON.stringify(unfinished)}`,
    ],
    figures: { kills: options.faults, messages: rows.length, reported: reported.size, givenUp: excused.size },
    findings: [
      accepted(tenant, rows),
      finding(
        'G20',
        'a message whose status, reports, suppression or events differ from what was reported',
        rows.length,
        rows.map((row) => (excused.has(row) ? null : difference(row, storyOf(row)))),
      ),
      finding('G11', 'counters that differ from a recount', rows.length, [
        counted.delivered === recounted.delivered
          ? null
          : `delivered ${counted.delivered}, recounted ${recounted.delivered}`,
        counted.bounces === recounted.bounces
          ? null
          : `bounces ${counted.bounces}, recounted ${recounted.bounces}`,
      ]),
      await judgeUnfinished(tenant, unfinished, rows.length),
      finding('G18', 'a process ended', options.faults, [...crashes]),
    ],
  };
}

/**
 * A process that ends in hand-off leaves the outcome unknown; after the second time the message fails visibly instead of being sent a third
 * time (docs/decisions/0021-overdue-mail.md), and so does one whose processes ended three times. One that never reached the mail server is then
 * never reported. Only what was really interrupted so often is excused.
 */
export function excusedOf<Each extends Pick<Row, 'id' | 'isUnconfirmed' | 'isGivenUp'>>(
  unreported: readonly Each[],
  { claimed, handedOff }: Interruptions,
): ReadonlySet<Each> {
  return new Set(
    unreported.filter(
      ({ id, isUnconfirmed, isGivenUp }) =>
        (isUnconfirmed && (handedOff.get(id) ?? 0) >= 2) || (isGivenUp && (claimed.get(id) ?? 0) >= 3),
    ),
  );
}

function accepted(tenant: Tenant, rows: readonly Row[]): Finding {
  const known = new Set(rows.map(({ id }) => id));
  return finding('G1', 'accepted and gone, or never answered', tenant.accepted.length, [
    ...tenant.unanswered,
    ...tenant.accepted.map(({ id, to }) => (known.has(id) ? null : `${to} is gone`)),
  ]);
}

export function difference(row: Row, story: readonly string[] | null): string | null {
  const { to, status, suppressed, published, reports } = row;
  if (!story) return `${to} was never reported, and is ${status}`;
  const expected = expectedOf(story);
  const found = { status, suppressed, published: published.toSorted(), reports };
  const wanted = {
    status: expected.status,
    suppressed: expected.suppressed,
    published: expectedEvents(expected.published, row),
    reports: new Set(story).size,
  };
  return JSON.stringify(found) === JSON.stringify(wanted)
    ? null
    : `${to}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`;
}

function expectedEvents(expected: readonly string[], { published, isResent }: Row): string[] {
  const also = (event: string, isRight: boolean) =>
    isRight && published.includes(event) && !expected.includes(event) ? [event] : [];
  return [
    ...expected,
    // A rejected message counts as sent where our own final write came first: the mail server had taken it.
    ...also('sent', expected.includes('failed')),
    // Given up before the report came, which then corrected it.
    ...also('failed', isResent),
  ].toSorted();
}
