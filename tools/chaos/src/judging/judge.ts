import type { InjectedFault } from '../faults/message-faults.js';
import type { Outage } from '../fixture.js';
import type { Goodbye } from '../process-group.js';
import { finding, type Finding } from './finding.js';
import { judgeAnswers, type Span } from './judge-answers.js';
import { emailIdOf, knowledgeOf, type SendRecord, type SinkBytes, type SinkLine } from './ledger.js';
import type { EmailRow, History, Totals, Unfinished } from './records.js';
import { judgeWork, type WorkLeft } from './work-books.js';

/** Everything that the judge looks at, after the run. */
export interface Evidence {
  sends: readonly SendRecord[];
  sink: readonly SinkLine[];
  /** What came, to the byte; empty where the load does not look at it. */
  bytes: readonly SinkBytes[];
  emails: readonly EmailRow[];
  events: readonly History[];
  contacts: readonly string[];
  totals: Totals;
  unfinished: Unfinished;
  deadLetters: readonly string[];
  work: WorkLeft;
  /** By e-mail: how many faults found it in hand-off. */
  doubted: ReadonlyMap<string, number>;
  strikes: readonly InjectedFault[];
  outages: readonly Outage[];
  /** When the process that measures the answers stood still itself. */
  stalls: readonly Span[];
  goodbyes: readonly Goodbye[];
  badExits: readonly string[];
  ratePerSecond: number;
}

interface Case {
  send: SendRecord;
  /** Rows that are no tombstones. */
  rows: EmailRow[];
  copies: SinkLine[];
}

const windowMs = 1_000;
/** The one that it takes, and one that a crash of the mail server cut off. */
const maxBounceAttempts = 2;
const terminal = new Set(['DELIVERED', 'BOUNCED', 'FAILED', 'CANCELLED']);

/** Reads the clients', the mail server's and the product's books against each other. */
export function judge(evidence: Evidence): Finding[] {
  const cases = casesOf(evidence);
  return [
    lost(cases, evidence),
    refusedButSent(cases),
    stuck(evidence),
    repeated(cases, evidence),
    outcomes(cases, evidence),
    keys(cases),
    phantoms(cases, evidence),
    order(evidence),
    counters(evidence),
    pace(evidence),
    ...judgeAnswers(evidence),
    judgeWork(evidence.work),
    wire(evidence),
  ];
}

function casesOf({ sends, emails, sink }: Evidence): Case[] {
  const rows = Map.groupBy(
    emails.filter(({ status }) => status !== 'VOIDED'),
    ({ to }) => to,
  );
  const copies = Map.groupBy(sink, ({ to }) => to);
  return sends.map((send) => ({ send, rows: rows.get(send.to) ?? [], copies: copies.get(send.to) ?? [] }));
}

function lost(cases: Case[], evidence: Evidence): Finding {
  const accepted = cases.flatMap((each) => {
    const knowledge = knowledgeOf(each.send);
    return knowledge.kind === 'accepted' ? [{ ...each, ids: knowledge.ids }] : [];
  });
  return finding(
    'G1 G3',
    'lost: accepted, and not on disk or never at the mail server',
    accepted.length,
    accepted.map(({ send, rows, copies, ids }) => {
      if (!ids.every((id) => rows.some((row) => row.id === id)))
        return `${send.to} was accepted and has no row`;
      const arrives = send.kind.ends === 'DELIVERED' && !send.kind.orEnds;
      const isExcused = rows.every(
        (row) => isUnconfirmed(send, row, evidence.doubted) || isTakenForCause(row, evidence),
      );
      return arrives && copies.length === 0 && !isExcused
        ? `${send.to} was accepted and never arrived`
        : null;
    }),
  );
}

function refusedButSent(cases: Case[]): Finding {
  const refused = cases.filter(({ send }) => knowledgeOf(send).kind === 'refused');
  return finding(
    'G2',
    'refused, and stored or sent all the same',
    refused.length,
    refused.map(({ send, rows, copies }) =>
      rows.length + copies.length > 0
        ? `${send.to} was refused, has ${rows.length} rows and ${copies.length} copies`
        : null,
    ),
  );
}

function stuck({ emails, unfinished, deadLetters }: Evidence): Finding {
  const rows = emails.filter(
    ({ status, state }) => status !== 'VOIDED' && !(terminal.has(status) && state !== null),
  );
  return finding(
    'G3 G5 G10',
    'stuck: not terminal, not published, not taken in, or a dead letter',
    emails.length,
    [
      ...rows.map(({ to, status, state }) => `${to} is ${status}, its delivery ${state}`),
      unfinished.outbox > 0 ? `${unfinished.outbox} events are not published` : null,
      ...deadLetters,
    ],
  );
}

function repeated(cases: Case[], { doubted: suspected }: Evidence): Finding {
  const sent = cases.filter(({ copies }) => copies.length > 0);
  return finding(
    'G4',
    'repeated more often than faults found it in hand-off, or with other bytes',
    sent.length,
    sent.map(({ send, rows, copies }) => {
      if (new Set(copies.map(({ digest, messageId }) => `${messageId} ${digest}`)).size > rows.length)
        return `${send.to} came with differing bytes`;
      const unknown = rows.map(({ id }) => unknownOutcomes(send, suspected.get(id)));
      // Sent again once at most, however many faults hit it.
      const honest = unknown.reduce((sum, count) => sum + 1 + Math.min(count, 1), 0);
      return copies.length > honest
        ? `${send.to} came ${copies.length} times, ${honest} can be excused`
        : null;
    }),
  );
}

/** How often its outcome may have been unknown: at faults, and where the mail server drops the connection after the message. */
const unknownOutcomes = ({ kind }: Case['send'], faults = 0): number => faults + (kind.ambiguous ? 1 : 0);

/** The faults themselves end processes, so that a message may be taken for the cause and fail visibly; for three ends one at most. */
const isTakenForCause = ({ isGivenUp }: EmailRow, { strikes, emails }: Evidence): boolean =>
  isGivenUp === true &&
  3 * emails.filter((each) => each.isGivenUp).length <= strikes.reduce((sum, { ends }) => sum + ends, 0);

/** After a second unknown outcome a message fails visibly instead of being sent a third time. */
const isUnconfirmed = (
  send: Case['send'],
  { id, failureKind }: EmailRow,
  suspected: Evidence['doubted'],
): boolean => failureKind === 'delivery_unconfirmed' && unknownOutcomes(send, suspected.get(id)) > 1;

function outcomes(cases: Case[], evidence: Evidence): Finding {
  const { doubted: suspected } = evidence;
  const stored = cases.filter(({ rows }) => rows.length > 0);
  return finding(
    'G6',
    'another end or fewer attempts than the mail server asked for',
    stored.length,
    stored.flatMap(({ send, rows, copies }) =>
      rows.map((row) => {
        const { id, status, attempts } = row;
        const { kind, to } = send;
        if (isUnconfirmed(send, row, suspected) || isTakenForCause(row, evidence)) return null;
        if (status !== kind.ends && status !== kind.orEnds) return `${to} ended ${status}`;
        if (status !== 'DELIVERED' && copies.length > 0) return `${to} is ${status} and arrived`;
        // An attempt whose process died before it was written down is not counted.
        if (kind.ends === 'BOUNCED' && attempts > maxBounceAttempts)
          return `${to} was refused for good and tried ${attempts} times`;
        const fewer = kind.attempts !== undefined && attempts < kind.attempts && !suspected.has(id);
        return fewer ? `${to} was tried ${attempts} times, ${kind.attempts} were due` : null;
      }),
    ),
  );
}

function keys(cases: Case[]): Finding {
  const keyed = cases.filter(({ send }) => send.key !== null);
  return finding(
    'G5 G7',
    'one idempotency key, and two mails, two receipts or none',
    keyed.length,
    keyed.map(({ send, rows }) => {
      const receipts = new Set(send.calls.filter(({ status }) => status === 202).map(({ body }) => body));
      if (receipts.size > 1) return `${send.to} has ${receipts.size} receipts`;
      if (rows.length > 1) return `${send.to} has ${rows.length} rows`;
      return receipts.size === 0 ? `${send.to} was never answered, over ${send.calls.length} tries` : null;
    }),
  );
}

function phantoms(cases: Case[], { sink, emails }: Evidence): Finding {
  const known = new Set(emails.filter(({ status }) => status !== 'VOIDED').map(({ id }) => id));
  const unknown = cases.filter(({ send, rows }) => !send.key && rows.length > 1);
  return finding('G4', 'phantom: at the mail server, and nobody asked for it', sink.length, [
    ...sink.map((line) =>
      known.has(emailIdOf(line)) ? null : `${line.to} came as ${line.messageId}, which is no e-mail`,
    ),
    ...unknown.map(({ send, rows }) => `${send.to} was asked for once and has ${rows.length} rows`),
  ]);
}

/** Contract §3: how a status may move; SENDING stands for a try that is in doubt. */
const moves: Record<string, readonly string[]> = {
  PENDING: [
    'PENDING',
    'SENDING',
    'SENT',
    'DELIVERED',
    'BOUNCED',
    'FAILED',
    'REJECTED',
    'CANCELLED',
    'RENDERING_FAILURE',
  ],
  SENDING: ['PENDING', 'SENDING', 'SENT', 'DELIVERED', 'BOUNCED', 'FAILED', 'REJECTED'],
  SENT: ['DELIVERED', 'DELIVERY_DELAY', 'BOUNCED'],
  DELIVERED: ['BOUNCED'],
};

function order({ events, emails }: Evidence): Finding {
  const histories = Map.groupBy(events, ({ emailId }) => emailId);
  const rows = emails.filter(({ status }) => status !== 'VOIDED');
  return finding(
    'order',
    'a history that no rule allows, that ends elsewhere than the row, or that is missing',
    rows.length,
    rows.flatMap(({ id, to, status }) => {
      const published = histories.get(id) ?? [];
      const paths = published.map(({ statuses }) => pathOf(statuses));
      const own = pathOf(published.find(({ recipient }) => recipient === to)?.statuses ?? []);
      return [
        ...paths.filter(isForbidden).map((path) => `${id} went ${path.join(' → ')}`),
        own.at(-1) === status ? null : `${id} is ${status} after ${own.join(' → ')}`,
      ];
    }),
  );
}

const pathOf = (statuses: readonly string[]): string[] =>
  statuses[0] === 'PENDING' ? [...statuses] : ['PENDING', ...statuses];

const isForbidden = (path: readonly string[]): boolean =>
  path.some((each, index) => index > 0 && !(moves[path[index - 1]!] ?? []).includes(each));

function counters({ emails, totals, contacts }: Evidence): Finding {
  const rows = emails.filter(({ status }) => status !== 'VOIDED');
  const of = (status: string) => rows.filter((row) => row.status === status).length;
  const addresses = new Set(rows.map(({ to }) => to));
  const differs = (what: string, is: number, should: number) =>
    is === should ? null : `${what}: ${is}, and a recount gives ${should}`;
  return finding(
    'G10 G11',
    'counters that differ from a recount, effects missing or taken twice',
    rows.length,
    [
      differs('e-mails counted', totals.counted, rows.length),
      differs('deliveries counted', totals.delivered, of('DELIVERED')),
      differs('bounces counted', totals.bounces, of('BOUNCED')),
      differs('contacts', totals.contacts, addresses.size),
      differs('contacts counted', totals.contactsCounted, totals.contacts),
      differs('contacts that nobody wrote to', contacts.filter((email) => !addresses.has(email)).length, 0),
    ],
  );
}

function pace({ sink, ratePerSecond }: Evidence): Finding {
  const instants = sink.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  instants.forEach((instant, last) => {
    while (instants[first]! <= instant - windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  });
  const searches = `more than ${ratePerSecond} messages within a second at the mail server (most: ${most})`;
  return finding('G13', searches, instants.length, [
    ratePerSecond > 0 && most > ratePerSecond ? `${most} within a second` : null,
  ]);
}

function wire({ sink }: Evidence): Finding {
  return finding(
    'G21',
    'breaches of the wire format',
    sink.length,
    sink.map(({ to, faults }) => (faults.length > 0 ? `${to}: ${faults.join(', ')}` : null)),
  );
}
