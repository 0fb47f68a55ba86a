import { finding, type Finding } from '../judging/finding.js';
import type { EmailRow } from '../judging/records.js';
import { emailIdOf, readSinkLedger, type SinkLine } from '../judging/sink-ledger.js';
import { untilQuiet } from '../product.js';
import { OutboxWatch, outboxSizes } from './outbox-watch.js';
import { poisonCase, type PoisonCase } from './poison-texts.js';
import { recount, unfinishedOf } from './recount.js';
import { oneOfEach, runSuite, type Stage, type SuiteOptions, type Verdict } from './suite.js';
import { inTurns, Tenant } from './tenant.js';

const atOnce = 12;
/** A busy machine answers 503 now and then; a poisonous text would be answered so each time. */
const triesOfACase = 12;
const settleSeconds = 90;
const maxEventBytes = 512 * 1024;
const maxOutboxSeconds = 5;
const terminal = new Set(['DELIVERED', 'BOUNCED', 'FAILED', 'RENDERING_FAILURE', 'REJECTED']);

/** Generated texts and replies that break what is careless with text, beside mail that must not notice. */
export const runPoison = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'poison', replicas: { ...oneOfEach, sending: 2 } }, async (stage) => {
    const { fixture, processes, random } = stage;
    const poisoner = await Tenant.create(fixture, processes, 'poisoner');
    const innocent = await Tenant.create(fixture, processes, 'innocent');
    const cases = Array.from({ length: options.cases }, (_, index) => poisonCase(index, random));
    const watch = new OutboxWatch(innocent.records);
    let sent = 0;
    await inTurns(cases, atOnce, async ({ kind, mail }) => {
      await (kind === 'innocent' ? innocent : poisoner).sendSurely(mail, triesOfACase);
      sent += 1;
      if (sent % 1_000 === 0) console.log(`${sent} of ${cases.length} cases`);
    });
    await untilQuiet(() => unfinishedOf([poisoner, innocent]), settleSeconds);
    await watch.stop();
    const verdict = await judge(stage, cases, { poisoner, innocent }, watch);
    for (const tenant of [poisoner, innocent]) tenant.close();
    return verdict;
  });

async function judge(
  { fixture, crashes, options }: Stage,
  cases: readonly PoisonCase[],
  { poisoner, innocent }: { poisoner: Tenant; innocent: Tenant },
  watch: OutboxWatch,
): Promise<Verdict> {
  const { records } = innocent;
  const [poisonedRows, innocentRows] = [await sentOf(poisoner), await sentOf(innocent)];
  const sink = readSinkLedger(fixture.sinkLedger);
  const sizes = await outboxSizes(records);
  const deadLetters = await records.deadLetters();
  const answers = new Map([...poisoner.answers].toSorted());
  const statuses = Map.groupBy(poisonedRows, ({ status }) => status);
  return {
    lines: [
      `Cases: ${counts(Map.groupBy(cases, ({ kind, form }) => (kind === 'liquid' ? form : kind)))}`,
      `Answers to poison: ${[...answers].map(([status, count]) => `${status} ${count}`).join(' · ')}`,
      `Ends of poison: ${counts(statuses)}`,
      `Innocent: ${innocentRows.length} accepted, ${innocentRows.filter(({ status }) => status === 'DELIVERED').length} delivered`,
      `Outbox: at most ${watch.oldest.toFixed(1)} s old (${watch.owner}, ${watch.looks} looks); largest event ${Math.round(sizes.largest / 1_024)} KiB`,
    ],
    figures: { cases: options.cases, outboxSeconds: watch.oldest, largest: sizes.largest },
    findings: [
      finding('G18', 'a process ended', 12, [...crashes]),
      innocentFinding(innocent, innocentRows, sink),
      finding(
        'G3 G18',
        'poison without an end',
        poisonedRows.length,
        poisonedRows.map(({ to, status }) => (terminal.has(status) ? null : `${to} is ${status}`)),
      ),
      finding(
        'texts',
        'an end whose text could not be written, so that the last resort took its place',
        poisonedRows.length,
        await reducedTexts(poisoner),
      ),
      answersFinding(poisoner, innocent),
      finding('G10', 'an event that is too large, quarantined, or a dead letter', cases.length, [
        sizes.largest > maxEventBytes ? `an event of ${sizes.largest} bytes` : null,
        sizes.quarantined > 0 ? `${sizes.quarantined} events are quarantined` : null,
        ...deadLetters,
      ]),
      finding('outbox', `an event that waited for ${maxOutboxSeconds} s or more`, watch.looks, [
        watch.oldest >= maxOutboxSeconds ? `${watch.oldest.toFixed(1)} s in ${watch.owner}` : null,
        watch.looks === 0 ? 'nobody looked' : null,
      ]),
      finding(
        'G21',
        'breaches of the wire format',
        sink.length,
        sink.map(({ to, faults }) => (faults.length > 0 ? `${to}: ${faults.join(', ')}` : null)),
      ),
      await recount([poisoner, innocent]),
    ],
  };
}

const sentOf = async ({ records }: Tenant): Promise<EmailRow[]> =>
  (await records.emails()).filter(({ status }) => status !== 'VOIDED');

/** `OutcomeRecorder` writes this where Postgres refuses the text. */
async function reducedTexts({ records, projectId }: Tenant): Promise<string[]> {
  const rows = await records.query<{ to: string }>(
    'sending',
    `SELECT to_email AS "to" FROM emails WHERE project_id = $1 AND error = 'The error text could not be stored'`,
    [projectId],
  );
  return rows.map(({ to }) => to);
}

const counts = (groups: Map<string, readonly unknown[]>): string =>
  [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, all]) => `${name} ${all.length}`)
    .join(' · ');

function innocentFinding(
  { accepted }: Tenant,
  rows: readonly EmailRow[],
  sink: readonly SinkLine[],
): Finding {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const copies = Map.groupBy(sink, emailIdOf);
  return finding(
    'innocent',
    'innocent mail that is not delivered, not written down, or came more than once',
    accepted.length,
    accepted.map(({ id, to }) => {
      const status = byId.get(id)?.status ?? 'gone';
      const came = copies.get(id)?.length ?? 0;
      return status === 'DELIVERED' && came === 1 ? null : `${to} is ${status} and came ${came} times`;
    }),
  );
}

/** A text that cannot be kept is refused, never an error of ours. */
function answersFinding(poisoner: Tenant, innocent: Tenant): Finding {
  const looked = [...poisoner.answers.values(), ...innocent.answers.values()].reduce((a, b) => a + b, 0);
  return finding('answers', 'a text that is answered with an error of the server each time', looked, [
    ...poisoner.unanswered,
    ...innocent.unanswered,
    ...[...innocent.answers].map(([status, count]) =>
      status.startsWith('4') ? `${count} innocent ones were answered ${status}` : null,
    ),
  ]);
}
