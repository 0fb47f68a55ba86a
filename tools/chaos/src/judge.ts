import type { EmailRow } from './books.js';
import type { Evidence } from './evidence.js';
import { beliefOf, type SendRecord } from './ledger.js';
import { emailIdOf, type SinkLine } from './sink-ledger.js';

/** One property of guarantees.md §2, and what broke it. */
export interface Finding {
  property: string;
  looksFor: string;
  /** What was looked at. */
  looked: number;
  broken: string[];
}

interface Case {
  send: SendRecord;
  /** Rows that are no tombstones. */
  rows: EmailRow[];
  copies: SinkLine[];
}

/** An answer within two seconds is promised; the rest is what a busy machine of two cores takes. */
const patienceMs = 3_500;
const windowMs = 1_000;
/** Sessions of a killed server end what they are at before they notice. */
const lastBreathMs = 500;
const terminal = new Set(['DELIVERED', 'BOUNCED', 'FAILED', 'CANCELLED']);

/** Reads the clients', the mail server's and the product's books against each other. */
export function judge(evidence: Evidence): Finding[] {
  const cases = casesOf(evidence);
  return [
    lost(cases),
    refusedButSent(cases),
    stuck(evidence),
    repeated(cases, evidence),
    outcomes(cases, evidence),
    keys(cases),
    phantoms(cases, evidence),
    order(evidence),
    counters(evidence),
    pace(evidence),
    goodbyes(evidence),
    outages(evidence),
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

const finding = (property: string, looksFor: string, looked: number, broken: (string | null)[]): Finding => ({
  property,
  looksFor,
  looked,
  broken: broken.filter((each) => each !== null),
});

function lost(cases: Case[]): Finding {
  const accepted = cases.flatMap((each) => {
    const belief = beliefOf(each.send);
    return belief.kind === 'accepted' ? [{ ...each, ids: belief.ids }] : [];
  });
  return finding(
    'G1 G3',
    'lost: accepted, and not on disk or never at the mail server',
    accepted.length,
    accepted.map(({ send, rows, copies, ids }) => {
      if (!ids.every((id) => rows.some((row) => row.id === id))) return `${send.to} was accepted and has no row`;
      return send.kind.ends === 'DELIVERED' && copies.length === 0 ? `${send.to} was accepted and never arrived` : null;
    }),
  );
}

function refusedButSent(cases: Case[]): Finding {
  const refused = cases.filter(({ send }) => beliefOf(send).kind === 'refused');
  return finding(
    'G2',
    'refused, and stored or sent all the same',
    refused.length,
    refused.map(({ send, rows, copies }) =>
      rows.length + copies.length > 0 ? `${send.to} was refused, has ${rows.length} rows and ${copies.length} copies` : null,
    ),
  );
}

function stuck({ emails, unfinished, deadLetters }: Evidence): Finding {
  const rows = emails.filter(({ status, state }) => status !== 'VOIDED' && !(terminal.has(status) && state !== null));
  return finding('G3 G5 G10', 'stuck: not terminal, not published, not taken in, or a dead letter', emails.length, [
    ...rows.map(({ to, status, state }) => `${to} is ${status}, its delivery ${state}`),
    unfinished.outbox > 0 ? `${unfinished.outbox} facts are not published` : null,
    ...deadLetters,
  ]);
}

function repeated(cases: Case[], { doubted }: Evidence): Finding {
  const sent = cases.filter(({ copies }) => copies.length > 0);
  return finding(
    'G4',
    'repeated without having been in hand-off at a fault, or with other bytes',
    sent.length,
    sent.map(({ send, rows, copies }) => {
      if (new Set(copies.map(({ digest, messageId }) => `${messageId} ${digest}`)).size > rows.length)
        return `${send.to} came with differing bytes`;
      const excused = send.kind.doubtful || rows.some(({ id }) => doubted.has(id));
      return copies.length > rows.length && !excused ? `${send.to} came ${copies.length} times` : null;
    }),
  );
}

function outcomes(cases: Case[], { doubted }: Evidence): Finding {
  const stored = cases.filter(({ rows }) => rows.length > 0);
  return finding(
    'G6',
    'another end or fewer attempts than the mail server asked for',
    stored.length,
    stored.flatMap(({ send: { kind, to }, rows, copies }) =>
      rows.map(({ id, status, attempts }) => {
        if (status !== kind.ends) return `${to} ended ${status}`;
        if (kind.ends === 'BOUNCED' && copies.length > 0) return `${to} bounced and arrived`;
        // An attempt whose process died before it was written down is not counted.
        const fewer = kind.attempts !== undefined && attempts < kind.attempts && !doubted.has(id);
        return fewer ? `${to} was tried ${attempts} times, ${kind.attempts} were due` : null;
      }),
    ),
  );
}

function keys(cases: Case[]): Finding {
  const keyed = cases.filter(({ send }) => send.key !== null);
  return finding(
    'G7',
    'one idempotency key, and two mails or two receipts',
    keyed.length,
    keyed.map(({ send, rows }) => {
      const receipts = new Set(send.calls.filter(({ status }) => status === 202).map(({ body }) => body));
      if (receipts.size > 1) return `${send.to} has ${receipts.size} receipts`;
      return rows.length > 1 ? `${send.to} has ${rows.length} rows` : null;
    }),
  );
}

function phantoms(cases: Case[], { sink, emails }: Evidence): Finding {
  const known = new Set(emails.filter(({ status }) => status !== 'VOIDED').map(({ id }) => id));
  const strangers = cases.filter(({ send, rows }) => !send.key && rows.length > 1);
  return finding('G4', 'phantom: at the mail server, and nobody asked for it', sink.length, [
    ...sink.map((line) => (known.has(emailIdOf(line)) ? null : `${line.to} came as ${line.messageId}, which is no e-mail`)),
    ...strangers.map(({ send, rows }) => `${send.to} was asked for once and has ${rows.length} rows`),
  ]);
}

/** Contract §3: how a status may move; SENDING stands for a try that is in doubt. */
const moves: Record<string, readonly string[]> = {
  PENDING: ['PENDING', 'SENDING', 'SENT', 'DELIVERED', 'BOUNCED', 'FAILED', 'REJECTED', 'CANCELLED', 'RENDERING_FAILURE'],
  SENDING: ['PENDING', 'SENDING', 'SENT', 'DELIVERED', 'BOUNCED', 'FAILED', 'REJECTED'],
  SENT: ['DELIVERED', 'DELIVERY_DELAY', 'BOUNCED'],
  DELIVERED: ['BOUNCED'],
};

function order({ events, emails }: Evidence): Finding {
  const status = new Map(emails.map((row) => [row.id, row.status]));
  return finding(
    'order',
    'a history that no rule allows, or that ends elsewhere than the row',
    events.length,
    events.map(({ emailId, statuses }) => {
      const path = statuses[0] === 'PENDING' ? statuses : ['PENDING', ...statuses];
      const wrong = path.findIndex((each, place) => place > 0 && !(moves[path[place - 1]!] ?? []).includes(each));
      if (wrong > 0) return `${emailId} went ${path.join(' → ')}`;
      return path.at(-1) === status.get(emailId) ? null : `${emailId} is ${status.get(emailId)} after ${path.join(' → ')}`;
    }),
  );
}

function counters({ emails, totals, contacts }: Evidence): Finding {
  const rows = emails.filter(({ status }) => status !== 'VOIDED');
  const of = (status: string) => rows.filter((row) => row.status === status).length;
  const addresses = new Set(rows.map(({ to }) => to));
  const differs = (what: string, is: number, should: number) => (is === should ? null : `${what}: ${is}, and a recount gives ${should}`);
  return finding('G10 G11', 'counters that differ from a recount, effects missing or taken twice', rows.length, [
    differs('e-mails counted', totals.counted, rows.length),
    differs('deliveries counted', totals.delivered, of('DELIVERED')),
    differs('bounces counted', totals.bounces, of('BOUNCED')),
    differs('contacts', totals.contacts, addresses.size),
    differs('contacts counted', totals.contactsCounted, totals.contacts),
    differs('contacts that nobody wrote to', contacts.filter((email) => !addresses.has(email)).length, 0),
  ]);
}

function pace({ sink, ratePerSecond }: Evidence): Finding {
  const instants = sink.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  instants.forEach((instant, last) => {
    while (instants[first]! <= instant - windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  });
  const looksFor = `more than ${ratePerSecond} messages in one second at the mail server (most: ${most})`;
  return finding('G13', looksFor, instants.length, [ratePerSecond > 0 && most > ratePerSecond ? `${most} in one second` : null]);
}

function goodbyes({ sends, goodbyes: said, badExits }: Evidence): Finding {
  const calls = sends.flatMap(({ calls: all }) => all);
  const reset = said.flatMap(({ gateway, at }) =>
    calls.filter((call) => call.gateway === gateway && call.status === null && call.beganAt < at && call.endedAt > at),
  );
  return finding('G16', 'a request cut off by SIGTERM, or a process that does not leave with 0', said.length, [
    ...reset.map(({ place, error }) => `send ${place} was cut off: ${error}`),
    ...badExits,
  ]);
}

function outages({ sends, outages: all }: Evidence): Finding {
  const calls = sends.flatMap(({ calls: own }) => own);
  const away = all.filter(({ server }) => server !== 'smtp');
  const during = calls.filter(({ beganAt }) => away.some(({ from, to }) => beganAt > from && beganAt < to));
  return finding('G17', `no answer within ${patienceMs} ms while Postgres or NATS was away, or a false 202`, during.length, [
    ...during.map(({ place, beganAt, endedAt }) =>
      endedAt - beganAt > patienceMs ? `send ${place} took ${Math.round(endedAt - beganAt)} ms` : null,
    ),
    ...during.map(({ place, status, beganAt, endedAt }) =>
      status === 202 &&
      all.some(({ server, from, returning }) => server === 'postgres' && beganAt > from + lastBreathMs && endedAt < returning)
        ? `send ${place} was accepted without a database`
        : null,
    ),
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
