import { describe, expect, it } from '@jest/globals';
import { planOf, states } from '../faults/message-faults.js';
import { Random } from '../random.js';
import { kindNamed } from '../recipients.js';
import { judge, type Evidence } from './judge.js';
import type { CallRecord, SendRecord, SinkLine } from './ledger.js';
import type { EmailRow } from './records.js';

const call = (change: Partial<CallRecord> = {}): CallRecord => ({
  place: 1,
  gateway: 0,
  beganAt: 10,
  endedAt: 20,
  status: 202,
  error: null,
  body: '{"id":"e1"}',
  retryAfter: false,
  ...change,
});
const send = (change: Partial<SendRecord> = {}): SendRecord => ({
  index: 1,
  kind: kindNamed('ok'),
  to: 'ok+1@sink.test',
  key: 'k',
  twice: false,
  form: 'plain',
  calls: [call()],
  ...change,
});
const row = (change: Partial<EmailRow> = {}): EmailRow => ({
  id: 'e1',
  to: 'ok+1@sink.test',
  status: 'DELIVERED',
  failureKind: null,
  state: 'SENT',
  attempts: 1,
  createdAt: new Date(0),
  ...change,
});
const copy = (change: Partial<SinkLine> = {}): SinkLine => ({
  messageId: 'e1@chaos.test',
  from: '',
  to: 'ok+1@sink.test',
  mailParameters: '',
  tls: false,
  receivedAt: 0,
  faults: [],
  digest: 'd',
  ...change,
});
const published = { emailId: 'e1', recipient: 'ok+1@sink.test', statuses: ['DELIVERED'] };
const unconfirmed = row({
  status: 'FAILED',
  failureKind: 'delivery_unconfirmed',
  state: 'FAILED',
  attempts: 2,
});
const failed = { ...published, statuses: ['SENDING', 'FAILED'] };
const ofCopy = { ...published, recipient: 'cc@sink.test' };
const sound: Evidence = {
  sends: [send()],
  sink: [copy()],
  bytes: [],
  emails: [row()],
  events: [published],
  contacts: ['ok+1@sink.test'],
  totals: { counted: 1, delivered: 1, bounces: 0, contacts: 1, contactsCounted: 1 },
  unfinished: { deliveries: 0, leases: 0, outbox: 0, uncounted: 0, missingContacts: 0 },
  deadLetters: [],
  work: { queues: [], counts: [] },
  doubted: new Map(),
  strikes: [],
  outages: [],
  stalls: [],
  goodbyes: [],
  badExits: [],
  ratePerSecond: 2,
};
const brokenBy = (change: Partial<Evidence>) =>
  judge({ ...sound, ...change }).flatMap(({ property, broken }) => (broken.length > 0 ? [property] : []));

describe('the judge of a chaos run', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(brokenBy({})).toEqual([]);
  });

  it('does not call cut off who was refused the connection', () => {
    const calls = [call({ status: null, error: 'ECONNREFUSED' }), call()];
    const injections = [{ fault: 'leave gateway' as const, ends: 0, from: 14, to: 16 }];
    expect(
      brokenBy({ goodbyes: [{ gateway: 0, at: 15 }], strikes: injections, sends: [send({ calls })] }),
    ).toEqual([]);
  });

  it.each<[string, string, Partial<Evidence>]>([
    ['a lost mail', 'G1 G3', { sink: [] }],
    ['an accepted mail without a row', 'G1 G3', { emails: [], sink: [] }],
    [
      'a refused mail that was stored',
      'G2',
      { sends: [send({ calls: [call({ status: 503, body: null })] })] },
    ],
    ['a stuck mail', 'G3 G5 G10', { emails: [row({ status: 'PENDING', state: 'QUEUED' })] }],
    ['a dead letter', 'G3 G5 G10', { deadLetters: ['analytics-daily: no'] }],
    ['a repeat', 'G4', { sink: [copy(), copy()] }],
    ['more repeats than faults', 'G4', { sink: [copy(), copy(), copy()], doubted: new Map([['e1', 1]]) }],
    [
      'an answer that no rule allows',
      'G2 G17',
      { sends: [send({ calls: [call({ status: 418, body: null }), call()] })] },
    ],
    [
      'an answer that never came',
      'G2 G17',
      { sends: [send({ calls: [call({ status: null, error: 'ECONNRESET' }), call()] })] },
    ],
    [
      'a 503 that does not say when to come again',
      'G2 G17',
      { sends: [send({ calls: [call({ status: 503 }), call()] })] },
    ],
    [
      'a key that is held for ever',
      'G5 G7',
      { sends: [send({ calls: [call({ status: 409, body: null })] })], emails: [], sink: [] },
    ],
    ['a lost history', 'order', { events: [] }],
    [
      'a bounce that was tried again',
      'G6',
      { sends: [send({ kind: kindNamed('data-554') })], emails: [row({ status: 'BOUNCED', attempts: 9 })] },
    ],
    [
      'a repeat with other bytes',
      'G4',
      { sink: [copy(), copy({ digest: 'x' })], doubted: new Map([['e1', 1]]) },
    ],
    ['another end', 'G6', { emails: [row({ status: 'FAILED', state: 'FAILED' })] }],
    [
      'a message that is unconfirmed after one fault',
      'G6',
      { emails: [unconfirmed], doubted: new Map([['e1', 1]]) },
    ],
    ['a third copy', 'G4', { sink: [copy(), copy(), copy()], doubted: new Map([['e1', 2]]) }],
    [
      'two receipts of one key',
      'G5 G7',
      { sends: [send({ calls: [call(), call({ body: '{"id":"e1","other":1}' })] })] },
    ],
    ['a phantom', 'G4', { sink: [copy(), copy({ messageId: 'e9@chaos.test', to: 'who@sink.test' })] }],
    ['a forbidden history', 'order', { events: [{ ...published, statuses: ['DELIVERED', 'PENDING'] }] }],
    [
      'a copy that went where none goes',
      'order',
      { events: [published, { ...ofCopy, statuses: ['DELIVERED', 'PENDING'] }] },
    ],
    ['a counter', 'G10 G11', { totals: { ...sound.totals, delivered: 2 } }],
    [
      'the pace',
      'G13',
      { ratePerSecond: 1, sink: [copy(), copy({ receivedAt: 900 })], doubted: new Map([['e1', 1]]) },
    ],
    [
      'a request cut off by SIGTERM',
      'G16',
      {
        goodbyes: [{ gateway: 0, at: 15 }],
        sends: [send({ calls: [call({ status: null, error: 'ECONNRESET' }), call()] })],
      },
    ],
    [
      'an acceptance without a database',
      'G17',
      {
        outages: [{ server: 'postgres', from: 0, returning: 9_000, to: 10_000 }],
        sends: [send({ calls: [call({ beganAt: 1_000, endedAt: 1_100 })] })],
      },
    ],
    ['a bad line', 'G21', { sink: [copy({ faults: ['bare LF'] })] }],
  ])('finds %s', (_, property, change) => {
    expect(brokenBy(change)).toContain(property);
  });

  it.each([
    [3_400, 100, []],
    [3_600, 100, ['G17']],
    [4_400, 2_500, []],
    [4_600, 2_500, ['G17']],
    [6_100, 9_000, ['G17']],
  ])('judges an answer after %i ms beside accepted ones that take %i ms', (lateMs, calmMs, broken) => {
    const calls = [
      call({ beganAt: 1_000, endedAt: 1_000 + lateMs, status: 503, retryAfter: true, body: null }),
      call({ beganAt: 20_000, endedAt: 20_000 + calmMs }),
    ];
    const outages = [{ server: 'postgres' as const, from: 0, returning: 9_000, to: 10_000 }];
    expect(brokenBy({ outages, sends: [send({ calls })] })).toEqual(broken);
  });

  it.each([
    [5_100, []],
    [2_000, ['G17']],
  ])('subtracts the %i ms in which the measuring process stood still', (stalledMs, broken) => {
    const late = call({ beganAt: 1_000, endedAt: 7_000, status: 503, retryAfter: true, body: null });
    const outages = [{ server: 'postgres' as const, from: 0, returning: 9_000, to: 10_000 }];
    const stalls = [
      { from: 500, to: 1_100 },
      { from: 2_000, to: 1_900 + stalledMs },
    ];
    expect(brokenBy({ outages, stalls, sends: [send({ calls: [late, call()] })] })).toEqual(broken);
  });

  it('lets each copy go its own way', () => {
    expect(brokenBy({ events: [published, { ...ofCopy, statuses: ['PENDING', 'BOUNCED'] }] })).toEqual([]);
  });

  it('excuses a message that is unconfirmed after two faults', () => {
    expect(
      brokenBy({
        emails: [unconfirmed],
        events: [failed],
        sink: [copy(), copy()],
        doubted: new Map([['e1', 2]]),
        totals: { ...sound.totals, delivered: 0 },
      }),
    ).toEqual([]);
  });

  it('excuses one message that was given up for three ends of processes, and none for two', () => {
    const givenUp = {
      emails: [{ ...unconfirmed, isGivenUp: true }],
      events: [failed],
      sink: [],
      totals: { ...sound.totals, delivered: 0 },
    };
    const struck = (ends: number) => [{ fault: 'kill sending' as const, ends, from: 0, to: 1 }];
    expect(brokenBy({ ...givenUp, strikes: struck(3) })).toEqual([]);
    expect(brokenBy({ ...givenUp, strikes: struck(2) })).toEqual(['G1 G3', 'G6']);
  });

  it('excuses a repeat of what was in hand-off at a fault', () => {
    expect(brokenBy({ sink: [copy(), copy()], doubted: new Map([['e1', 1]]) })).toEqual([]);
  });
});

describe('the deck', () => {
  it('is the same for the same seed, and aims at every state', () => {
    const plan = planOf(60, new Random(5));
    expect(planOf(60, new Random(5))).toEqual(plan);
    expect(planOf(60, new Random(6))).not.toEqual(plan);
    for (const state of states)
      expect(plan.filter(({ at }) => at === state).length).toBeGreaterThanOrEqual(6);
  });
});
