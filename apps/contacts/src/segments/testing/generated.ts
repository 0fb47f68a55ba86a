import { emailActivities, type EmailActivity } from '@posthorn/contracts';
import fc from 'fast-check';

/** The current time of generated cases. */
export const generatedNow = new Date('2026-03-01T12:00:00.000Z');
export const listIds = ['01980a5c-1b2d-7c3e-8f40-00000000000a', '01980a5c-1b2d-7c3e-8f40-00000000000b'];
export const segmentIds = ['01980a5c-1b2d-7c3e-8f40-00000000001a', '01980a5c-1b2d-7c3e-8f40-00000000001b'];

export interface Person {
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  customFields: Record<string, unknown>;
  events: Map<string, Date>;
  activities: Map<EmailActivity, Date>;
  lists: Map<string, string>;
  segments: Set<string>;
}

const spans: [value: number, unit: string, ms: number][] = [
  [1, 'minutes', 60_000],
  [90, 'minutes', 5_400_000],
  [1, 'hours', 3_600_000],
  [0.5, 'hours', 1_800_000],
  [24, 'hours', 86_400_000],
  [1, 'days', 86_400_000],
  [30, 'days', 2_592_000_000],
];
const eventNames = ['signup', 'bought', 'a.b', "o'x"];
const texts = [
  '',
  'a',
  'A',
  'ab',
  'Ab%',
  '_',
  '%',
  '\\',
  'ÄÖ',
  'äö',
  'İi',
  'ß',
  'Σς',
  '\ue000',
  '😀',
  '1',
  'true',
  'null',
  '2026-03-01x',
];
const wrongDates = [
  '2026-02-29',
  '2026-13-01',
  '0000-01-01',
  '2026-03-01T24:00:00Z',
  '2026-03-01T12:00:00',
  '2026-03-01T12:00Z ',
  'infinity',
  '2026-03-01T12:00+15:00',
  '1900-02-29',
  '26-03-01',
];
const unusualDates = [
  '2024-02-29',
  '2000-02-29',
  '1965-07-20',
  '2026-03-01T12:00Z',
  '2026-03-01T13:00:00+0100',
  '2026-03-01T12:00:00.0009999Z',
  '2026-03-01T12:00:00.123456789Z',
  '0001-01-01',
];

/** At the ends of the spans, a millisecond before and after, and elsewhere. */
const instant = fc
  .tuple(
    fc.constantFrom(0, ...spans.map(([, , ms]) => ms)),
    fc.constantFrom(-1, 0, 1, 999, -86_400_000),
    fc.constantFrom(1, 1, 1, -1),
  )
  .map(([ms, off, side]) => new Date(generatedNow.getTime() - side * ms + off));
const number = fc.constantFrom(0, 1, -1.5, 2, 10, 0.1, 1e21, -1e-7, 1e300);
const dateText = fc.oneof(
  instant.map((at) => at.toISOString()),
  instant.map((at) => at.toISOString().slice(0, 10)),
  instant.map((at) => new Date(at.getTime() + 19_800_000).toISOString().replace('Z', '+05:30')),
  fc.constantFrom(...unusualDates),
);
const scalar = fc.oneof(
  number,
  fc.constantFrom(...texts),
  dateText,
  dateText,
  fc.boolean(),
  fc.constantFrom(...wrongDates),
);
const stored = fc.oneof(
  { weight: 6, arbitrary: scalar },
  fc.constantFrom<unknown>(null, [], ['a', 1], {}, { x: 'a' }),
);

const customFields = fc
  .record({ a: stored, b: stored, '0': stored, n: fc.record({ x: stored, y: fc.record({ z: stored }, { requiredKeys: [] }) }, { requiredKeys: [] }), list: fc.array(stored, { maxLength: 2 }) }, { requiredKeys: [] })
  .map((fields) => fields as Record<string, unknown>); // prettier-ignore

const text = fc.constantFrom('ann', 'ben', 'a_n', 'a%n', 'o\\n', 'zoë');
const person: fc.Arbitrary<Person> = fc.record({
  email: fc
    .tuple(text, fc.constantFrom('example.org', 'mail.test'))
    .map(([name, domain]) => `${name}@${domain}`),
  subscribed: fc.boolean(),
  createdAt: instant,
  updatedAt: instant,
  customFields,
  events: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...eventNames), instant), { selector: ([name]) => name })
    .map((pairs) => new Map(pairs)),
  activities: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...emailActivities), instant), { selector: ([kind]) => kind })
    .map((pairs) => new Map(pairs)),
  lists: fc
    .uniqueArray(
      fc.tuple(fc.constantFrom(...listIds), fc.constantFrom('PENDING', 'CONFIRMED', 'UNSUBSCRIBED')),
      { selector: ([id]) => id },
    )
    .map((pairs) => new Map(pairs)),
  segments: fc.subarray(segmentIds).map((ids) => new Set(ids)),
});

/** Addresses are made unique when they are stored. */
export const population = fc.array(person, { minLength: 1, maxLength: 10, size: 'max' });

type Given = Record<string, unknown>;
const equalities = ['equals', 'notEquals'];
const orders = ['greaterThan', 'lessThan', 'greaterThanOrEqual', 'lessThanOrEqual'];
const parts = ['contains', 'notContains'];
const ages = ['within', 'olderThan'];

const filterOf = (
  field: fc.Arbitrary<string>,
  operators: readonly string[],
  more: fc.Arbitrary<Given> = fc.constant({}),
) =>
  fc
    .tuple(field, fc.constantFrom(...operators), more)
    .map(([name, operator, rest]): Given => ({ field: name, operator, ...rest }));
const valued = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Given> => value.map((each) => ({ value: each }));
const spanned = fc.constantFrom(...spans).map(([value, unit]): Given => ({ value, unit }));

const dated = fc.constantFrom('createdAt', 'updatedAt');
const path = fc
  .tuple(fc.constantFrom('customFields', 'data'), fc.constantFrom('a', 'a', 'b', 'b', 'n.x', 'n.y.z', 'n', '0', 'list.0', 'list', 'a.x', 'n.y.z.z', 'none', '__proto__', 'constructor.name'))
  .map((names) => names.join('.')); // prettier-ignore
const occurred = fc.oneof(
  fc.constantFrom(...eventNames, 'never').map((name) => `event.${name}`),
  fc.constantFrom(...emailActivities).map((kind) => `email.${kind}`),
);
const named = fc.constantFrom(
  ...listIds.map((id) => `list.${id}`),
  ...segmentIds.map((id) => `segment.${id}`),
);
const addressPart = fc.constantFrom('ANN', 'ann@example.org', 'a%', '_', 'example', '\\', 'n@m', 'ZOË');

const filter = fc.oneof(
  filterOf(fc.constant('email'), [...equalities, ...parts], valued(addressPart)),
  filterOf(fc.constant('subscribed'), equalities, valued(fc.boolean())),
  filterOf(dated, [...equalities, ...orders], valued(fc.oneof(instant.map((at) => at.toISOString()), dateText))),
  filterOf(dated, ages, spanned),
  filterOf(path, equalities, valued(scalar)),
  filterOf(path, orders, valued(scalar.filter((value) => typeof value !== 'boolean'))),
  filterOf(path, parts, valued(fc.constantFrom(...texts.slice(1)))),
  filterOf(path, ages, spanned),
  filterOf(path, ['exists', 'notExists']),
  filterOf(occurred, ['triggered', 'notTriggered']),
  filterOf(occurred, ['triggeredWithin', 'triggeredOlderThan', 'notTriggeredWithin'], spanned),
  filterOf(named, ['isMemberOf', 'isNotMemberOf']),
); // prettier-ignore

const level = (depth: number): fc.Arbitrary<Given> =>
  fc.record({
    logic: fc.constantFrom('AND', 'OR'),
    groups: fc.array(group(depth), { minLength: 1, maxLength: 2 }),
  });

const group = (depth: number): fc.Arbitrary<Given> => {
  const filters = fc.array(filter, { minLength: 1, maxLength: 2 });
  return depth === 1
    ? fc.record({ filters })
    : fc.oneof({ weight: 2, arbitrary: fc.record({ filters }) }, fc.record({ filters, conditions: level(depth - 1) }), fc.record({ conditions: level(depth - 1) }));
}; // prettier-ignore

/** As in a request. */
export const conditions = fc.array(level(5), { minLength: 1, maxLength: 50, size: 'max' });
