import { describe, expect, it } from '@jest/globals';
import { Random } from '../random.js';
import type { Published } from './audience-client.js';
import { audiencePlan, audienceStates } from './audience-faults.js';
import { mailDifferencesOf, type MailSum } from './audience-records.js';
import { judgeAudience, type AudienceEvidence } from './judge-audience.js';
import { csvOf, movedCondition, operationAt, sqlOf, steadyConditions } from './operations.js';

const table = { marker: 'm1x0', first: 0, rows: 3 };
const published: Published = {
  fields: [{ email: 'a@audience.test', field: 'm1', place: 1 }],
  events: [
    { place: 1, surely: true },
    { place: 2, surely: false },
  ],
  imports: [{ id: 'i1', table, listId: 'l1', listGoes: false }],
  memberships: [{ email: 's@audience.test', listId: 'l2', status: 'CONFIRMED' }],
  gone: [{ email: 'g@audience.test', id: 'c9' }],
  mails: [{ to: 'ok@sink.test' }],
  recounts: new Map([['moving', 1]]),
  done: new Map([['upsert', 1]]),
  strange: [],
};
const job = { id: 'i1', status: 'COMPLETED', processed: 3, created: 1, updated: 1, skipped: 1, failed: 0 };
const transition = { contactId: 'c1', segmentId: 's1', kept: ['entered'], told: ['entered'], isMember: true };
const statuses = new Map([
  ...[0, 1, 2].map((row) => [`l1 row-${row}`, 'CONFIRMED'] as const),
  ['l2 s@audience.test', 'CONFIRMED'] as const,
]);
const sound: AudienceEvidence = {
  told: published,
  lostFields: [],
  marked: new Map([['m1x0', 3]]),
  imports: [job],
  events: new Map([[1, 1]]),
  memberships: statuses,
  contactIds: new Set(['c1']),
  delivered: 1,
  differences: [],
  strayMembers: [],
  remains: [],
  passages: [transition],
  deadLetters: [],
  work: { queues: [], counts: [] },
  unfinished: { outbox: 0 },
};
const brokenBy = (change: Partial<AudienceEvidence>) =>
  judgeAudience({ ...sound, ...change }).flatMap(({ property, broken }) =>
    broken.length > 0 ? [property] : [],
  );
const differing = [{ what: 'contacts all', kept: '2 2', counted: '1 1' }];

describe('the judge of the audience', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(brokenBy({})).toEqual([]);
  });

  it.each<[string, string, Partial<AudienceEvidence>]>([
    ['a lost write', 'writes', { lostFields: ['a@audience.test has no m1'] }],
    ['a lost event', 'events', { events: new Map() }],
    ['an event that is there twice', 'events', { events: new Map([[1, 2]]) }],
    ['a doubtful event that is there twice', 'events', { events: new Map([[1, 1], [2, 2]]) }], // prettier-ignore
    ['an import that stands still', 'imports', { imports: [{ ...job, status: 'RUNNING' }] }],
    ['a row that was taken twice', 'imports', { imports: [{ ...job, processed: 4, created: 2 }] }],
    ['a row that did not come', 'imports', { marked: new Map([['m1x0', 2]]) }],
    ['sums that are none', 'import sums', { imports: [job, { ...job, id: 'i2', created: 2 }] }],
    [
      'members of a deleted list',
      'imports',
      { told: { ...published, imports: [{ ...published.imports[0]!, listGoes: true }] } },
    ],
    [
      'a membership that went astray',
      'lists',
      { memberships: new Map([...statuses, ['l2 s@audience.test', 'PENDING']]) },
    ],
    ['who is back', 'deletions', { contactIds: new Set(['c1', 'c9']) }],
    ['undelivered mail', 'mail', { delivered: 0 }],
    ['a wrong count', 'counts', { differences: differing }],
    ['a wrong member', 'members', { strayMembers: differing }],
    ['what is left of the deleted', 'remains', { remains: differing }],
    [
      'two entries in a row',
      'passages',
      { passages: [{ ...transition, kept: ['entered', 'entered'], told: ['entered', 'entered'] }] },
    ],
    [
      'an event that was told twice',
      'passages',
      { passages: [{ ...transition, told: ['entered', 'entered'] }] },
    ],
    ['a member that nobody told of', 'passages', { passages: [{ ...transition, kept: [], told: [] }] }],
    ['a dead letter', 'stuck', { deadLetters: ['contacts summaries: no'] }],
    ['what is not finished', 'stuck', { unfinished: { dirty: 1 } }],
    ['a refusal', 'answers', { told: { ...published, strange: ['upsert 1: 418'] } }],
  ])('finds %s', (_, property, change) => {
    expect(brokenBy(change)).toContain(property);
  });

  it('lets a changed condition hide as many entries and exits as it was changed', () => {
    const hidden = {
      ...transition,
      segmentId: 'moving',
      kept: ['entered', 'entered'],
      told: ['entered', 'entered'],
    };
    expect(brokenBy({ passages: [hidden] })).toEqual([]);
    expect(brokenBy({ passages: [{ ...hidden, isMember: false }] })).toEqual(['passages']);
  });

  it('names summaries of mail that are kept otherwise than they are counted, but for a rounded millisecond', () => {
    const sum = (email: string, count: number, ms = 0) => ({
      email,
      kind: 'sent',
      count,
      first: new Date(ms),
      last: new Date(ms),
    });
    const named = (stored: MailSum[], counted: MailSum[]) =>
      mailDifferencesOf(stored, counted).map(({ what }) => what);
    expect(named([sum('a', 1)], [sum('a', 1, 1)])).toEqual([]);
    expect(named([sum('a', 1), sum('c', 1)], [sum('a', 2), sum('b', 1), sum('c', 1, 2)])).toEqual(
      ['a', 'c', 'b'].map((email) => `summary of mail ${email} sent`),
    );
  });
});

describe('the load of the audience', () => {
  const actions = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 400 }, (_, index) => operationAt(index, random));
  };

  it('is the same for the same seed, and has every kind of deed', () => {
    expect(actions(3)).toEqual(actions(3));
    expect(actions(3)).not.toEqual(actions(4));
    expect([...new Set(actions(3).map(({ kind }) => kind))].sort()).toEqual(
      ['bulk', 'farewell', 'imports', 'mail', 'recount', 'subscription', 'track', 'upsert'].sort(),
    );
  });

  it('has tables of rows of which each is there once, and that overlap', () => {
    const action = operationAt(1, new Random(1), 'imports');
    const rows = (action.kind === 'imports' ? action.tables : []).map((each) =>
      csvOf(each).trimEnd().split('\n').slice(1),
    );
    const addresses = rows.map((each) => new Set(each.map((row) => row.split(',')[0])));
    expect(addresses.map(({ size }) => size)).toEqual(rows.map(({ length }) => length));
    expect([...addresses[0]!].some((address) => addresses[1]!.has(address))).toBe(true);
  });

  it('asks for conditions that somebody knows by hand', () => {
    const random = new Random(2);
    const conditions = [
      ...steadyConditions.map((each) => each(['l1', 'l2'], ['s1'])),
      ...Array.from({ length: 50 }, () => movedCondition(random)),
    ];
    for (const condition of conditions) expect(sqlOf(condition)).not.toMatch(/undefined|NaN/);
  });

  it('meets each state, and the loss of what NATS has stored once', () => {
    const plan = audiencePlan(60, new Random(5));
    expect(audiencePlan(60, new Random(5))).toEqual(plan);
    for (const state of audienceStates)
      expect(plan.filter(({ at }) => at === state).length).toBeGreaterThanOrEqual(10);
    expect(plan.filter(({ fault: method }) => method === 'wipe nats')).toHaveLength(1);
  });
});
