import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ProviderEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { OutcomeRecorder } from '../delivery/outcomes/outcome-recorder.js';
import { OutcomesRepository } from '../delivery/outcomes/outcomes.repository.js';
import { outcomeOf, type Outcome } from '../delivery/outcomes/outcome.js';
import { buildReportedMails, reportAll, type ReportedMail } from '../testing/reported-mail.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

const sequences = 5_000;
const atOnce = 200;
const seed = Number(process.env['POSTHORN_SEED'] ?? 25);

/** One thing that happens to a message: a report of a provider, or the final write of our own attempt. */
type Step = { report: Omit<ProviderEvent, 'emailId'> } | { outcome: Outcome };

let suite: SendingSuite;
let recorder: OutcomeRecorder;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
  recorder = new OutcomeRecorder(new OutcomesRepository(suite.database), suite.database.tracing);
});
afterAll(() => suite.stop());

const rules = { acceptIsDelivery: false, ambiguousMs: 3_600_000, retryMs: 3_600_000, random: () => 0.5 };
const progress = {
  recipient: 'x@example.org',
  attempts: 0,
  resends: 0,
  windowAgeMs: 0,
  ageMs: 0,
  waitsForNextPeriod: false,
  windowIsOver: false,
};
const attempt = { host: 'mx', tls: true, durationMs: 5, sessionUsable: true, stage: 'dot' as const };
const ownOutcomes: (() => Outcome)[] = [
  () => outcomeOf({ ...attempt, verdict: 'accepted' }, progress, rules),
  () => outcomeOf({ ...attempt, verdict: 'accepted' }, progress, { ...rules, acceptIsDelivery: true }),
  () => outcomeOf({ ...attempt, verdict: 'ambiguous' }, progress, rules),
  () =>
    outcomeOf(
      { ...attempt, verdict: 'refused_temporarily', reply: { code: 451, text: 'later' } },
      progress,
      rules,
    ),
  () =>
    outcomeOf(
      {
        ...attempt,
        stage: 'rcpt',
        verdict: 'refused',
        reply: { code: 550, enhanced: '5.1.1', text: 'unknown' },
      },
      progress,
      rules,
    ),
];
const kinds = ['SENT', 'DELAYED', 'SOFT_BOUNCED', 'DELIVERED', 'REJECTED', 'BOUNCED', 'COMPLAINED'] as const;

const report = fc.record({
  source: fc.constantFrom('ses' as const, 'dsn' as const, 'mailgun' as const),
  kind: fc.constantFrom(...kinds),
  statusCode: fc.constantFrom('5.1.1', '5.7.1', '5.2.2'),
  minutesAgo: fc.nat(50),
  repeated: fc.nat(2),
});

/** Up to seven reports of up to three providers, some of them repeated, and in most cases the end of our own attempt. */
const sequence = fc
  .record({ reports: fc.array(report, { maxLength: 7 }), own: fc.option(fc.constantFrom(...ownOutcomes)) })
  .map(({ reports, own }): Step[] => [
    ...(own ? [{ outcome: own() }] : []),
    ...reports.flatMap(({ repeated, minutesAgo, statusCode, ...told }, index) => {
      const at = new Date(Date.now() - minutesAgo * 60_000);
      const step = {
        report: {
          ...told,
          eventId: `event-${index}`,
          at,
          ...(told.kind === 'BOUNCED' ? { statusCode } : {}),
        },
      };
      return Array.from({ length: Math.max(1, repeated) }, () => step);
    }),
  ]);

interface Ended {
  status: string;
  state: string;
  failureKind: string | null;
  published: string[];
  suppressed: string | null;
}

/** The steps of all mails, one after another in the given order, some of them at the same time. */
async function play(steps: { mail: ReportedMail; step: Step }[]): Promise<void> {
  for (let start = 0; start < steps.length; start += 4 * atOnce) {
    const parts = Array.from({ length: 4 }, (_, index) =>
      steps.slice(start + index * atOnce, start + (index + 1) * atOnce),
    );
    await Promise.all(
      parts.flatMap((part) => {
        const reports = part.flatMap(({ mail, step }) =>
          'report' in step ? [{ ...step.report, emailId: mail.id }] : [],
        );
        const outcomes = part.flatMap(({ mail, step }) =>
          'outcome' in step ? [recorder.record(rowOf(mail, step.outcome))] : [],
        );
        return [...(reports.length > 0 ? [reportAll(suite, reports)] : []), ...outcomes];
      }),
    );
  }
}

const rowOf = ({ projectId, id, to }: ReportedMail, outcome: Outcome) => ({
  projectId,
  emailId: id,
  position: 0,
  leaseToken: 1,
  recipient: to,
  subject: null,
  trace: null,
  outcome,
});

async function endsOf(mails: ReportedMail[]): Promise<Ended[]> {
  const rows = await suite.database.query<Ended & { id: string }>(
    `SELECT e.id, e.status, e.failure_kind AS "failureKind", d.state, s.reason AS suppressed, coalesce(p.published, '{}') AS published
     FROM emails e JOIN deliveries d ON d.project_id = e.project_id AND d.email_id = e.id
     LEFT JOIN suppressions s ON s.project_id = e.project_id AND s.email = e.to_email
     LEFT JOIN (
       SELECT item->>'emailId' AS id, array_agg(event_name || coalesce(item->>'bounceType', '') ORDER BY event_name, item->>'bounceType') AS published
       FROM outbox, jsonb_array_elements(items) AS item WHERE project_id = $1 AND item ? 'emailId' GROUP BY 1
     ) AS p ON p.id = e.id::text
     WHERE e.project_id = $1`,
    [mails[0]!.projectId],
  );
  const byId = new Map(rows.map(({ id, ...ended }) => [id, ended]));
  return mails.map(({ id }) => byId.get(id)!);
}

describe('reports in any order, repeated and beside our own final write', () => {
  it(`end like those in the order of their times (${sequences} sequences, seed ${seed})`, async () => {
    const samples = fc.sample(sequence, { numRuns: sequences, seed });
    const [sorted, shuffled] = [
      await buildReportedMails(suite.database, sequences, { projectId: newId() }),
      await buildReportedMails(suite.database, sequences, { projectId: newId() }),
    ];
    await play(
      samples.flatMap((steps, index) => sortedByTime(steps).map((step) => ({ mail: sorted[index]!, step }))),
    );
    const steps = samples.flatMap((each, index) => each.map((step) => ({ mail: shuffled[index]!, step })));
    const ranks = fc.sample(fc.integer(), { numRuns: steps.length, seed });
    await play(
      steps
        .map((step, index) => ({ step, rank: ranks[index]! }))
        .sort((one, other) => one.rank - other.rank)
        .map(({ step }) => step),
    );
    const [expected, found] = [await endsOf(sorted), await endsOf(shuffled)];
    const different = found.flatMap((ended, index) =>
      JSON.stringify(ended) === JSON.stringify(expected[index])
        ? []
        : [{ steps: samples[index], expected: expected[index], found: ended }],
    );
    expect(different.slice(0, 3)).toEqual([]);
    expect(new Set(expected.map(({ status }) => status)).size).toBeGreaterThanOrEqual(7);
  });
});

const timeOf = (step: Step): number => ('report' in step ? step.report.at!.getTime() : -Infinity);
const sortedByTime = (steps: Step[]): Step[] => steps.toSorted((one, other) => timeOf(one) - timeOf(other));
