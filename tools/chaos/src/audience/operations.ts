import type { Random } from '../random.js';

interface Filter {
  field: string;
  operator: string;
  value?: string | number | boolean;
  unit?: 'minutes';
}

/** A condition as the API takes it; here always filters that all hold. */
export interface Condition {
  logic: 'AND';
  groups: [{ filters: Filter[] }];
}

const plans = ['free', 'pro', 'team'];
const eventNames = ['signup', 'order', 'visit'];
/** Short enough for a run to see it pass. */
const spanMinutes = 0.4;

const all = (...filters: Filter[]): Condition => ({ logic: 'AND', groups: [{ filters }] });
const ofPlan = (plan: string): Filter => ({ field: 'customFields.plan', operator: 'equals', value: plan });
const ofScore = (least: number): Filter => ({
  field: 'customFields.score',
  operator: 'greaterThanOrEqual',
  value: least,
});
const subscribed: Filter = { field: 'subscribed', operator: 'equals', value: true };
const span = (field: string, operator: string): Filter => ({
  field,
  operator,
  value: spanMinutes,
  unit: 'minutes',
});
const member = (field: string): Filter => ({ field, operator: 'isMemberOf' });

/** Segments whose condition stays as it is; `before` are the ones made before it. */
export const steadyConditions: readonly ((
  lists: readonly string[],
  before: readonly string[],
) => Condition)[] = [
  () => all(ofPlan('pro')),
  () => all(ofScore(50)),
  () => all(subscribed, ofPlan('free')),
  ([open]) => all(member(`list.${open}`)),
  ([, double]) => all(member(`list.${double}`)),
  () => all({ field: 'event.signup', operator: 'triggered' }),
  () => all(span('createdAt', 'within')),
  () => all(span('event.visit', 'triggeredOlderThan')),
  () => all({ field: 'email.delivered', operator: 'triggered' }),
  (_, [pro]) => all(member(`segment.${pro}`), subscribed),
];
export const movingSegments = 10;

/** What a segment whose condition changes may be asked for next. */
export function movedCondition(random: Random): Condition {
  const event = random.pick(eventNames);
  return random.pick([
    () => all(ofPlan(random.pick(plans))),
    () => all(ofScore(random.whole(0, 99))),
    () => all(subscribed, ofScore(random.whole(0, 99))),
    () => all({ field: `event.${event}`, operator: 'triggered' }, ofPlan(random.pick(plans))),
    () => all(span(`event.${event}`, 'triggeredWithin')),
  ])();
}

/** The same in the words of somebody who knows the tables: contacts are `c`. */
export function sqlOf({ groups: [{ filters }] }: Condition): string {
  return filters.map((filter) => `(${filterSql(filter)})`).join(' AND ');
}

const ofContact = (table: string, and: string): string =>
  `EXISTS (SELECT 1 FROM ${table} t WHERE t.project_id = c.project_id AND t.contact_id = c.id AND ${and})`;

function filterSql({ field, operator, value }: Filter): string {
  const [kind, name] = field.split('.') as [string, string?];
  const since = `now() - interval '${(value as number) * 60} seconds'`;
  const known: Record<string, () => string> = {
    'customFields equals': () => `c.custom_fields ->> '${name}' = '${String(value)}'`,
    'customFields greaterThanOrEqual': () =>
      `CASE WHEN jsonb_typeof(c.custom_fields -> '${name}') = 'number' THEN (c.custom_fields ->> '${name}')::numeric >= ${String(value)} ELSE false END`,
    'subscribed equals': () => `c.subscribed = ${String(value)}`,
    'createdAt within': () => `c.created_at >= ${since}`,
    'event triggered': () => ofContact('events', `t.name = '${name}'`),
    'event triggeredWithin': () => ofContact('events', `t.name = '${name}' AND t.occurred_at >= ${since}`),
    'event triggeredOlderThan': () =>
      `${ofContact('events', `t.name = '${name}'`)} AND NOT ${ofContact('events', `t.name = '${name}' AND t.occurred_at >= ${since}`)}`,
    'email triggered': () => ofContact('mail_summaries', `t.kind = '${name}'`),
    'list isMemberOf': () => ofContact('memberships', `t.list_id = '${name}' AND t.status = 'CONFIRMED'`),
    'segment isMemberOf': () => ofContact('segment_members', `t.segment_id = '${name}'`),
  };
  const sql = known[`${kind} ${operator}`];
  if (!sql) throw new Error(`nobody knows ${field} ${operator} by hand`);
  return sql();
}

/** Something that a client of the audience wants. Its place marks what it writes, so that it is found again. */
export type Action = { index: number } & (
  | { kind: 'upsert' | 'bulk'; people: Person[] }
  | { kind: 'track'; email: string; name: string; key: string | null }
  | { kind: 'imports'; tables: Table[]; listGoes: boolean }
  | { kind: 'subscription'; email: string; double: boolean; leaves: boolean }
  | { kind: 'recount'; segment: number; condition: Condition }
  | { kind: 'mail'; to: string }
  /** Made, and deleted for good: in the end nobody holds the address. */
  | { kind: 'farewell'; email: string }
);
export type OperationKind = Action['kind'];

interface Person {
  email: string;
  fields: Record<string, string | number>;
}

/** Rows of a table, from `first` on; rows of two tables overlap. */
export interface Table {
  marker: string;
  first: number;
  rows: number;
}

const kinds: readonly { kind: OperationKind; weight: number }[] = [
  { kind: 'upsert', weight: 26 },
  { kind: 'track', weight: 24 },
  { kind: 'bulk', weight: 6 },
  { kind: 'imports', weight: 2 },
  { kind: 'subscription', weight: 16 },
  { kind: 'recount', weight: 10 },
  { kind: 'mail', weight: 10 },
  { kind: 'farewell', weight: 6 },
];
const people = 400;
export const readers = 20;
const maxTable = 6_000;

export const markOf = (index: number): string => `m${index}`;
export const readerOf = (number: number): string => `ok+reader-${number}@sink.test`;
const deletedOf = (index: number): string => `gone-${index}@audience.test`;
/** Finds them all, as a pattern of Postgres and of ours. */
export const removedText = 'gone-[0-9]+@audience[.]test';
/** What is recorded of them goes with them, and stays in the statistics. */
export const erasureEvent = 'farewell';
const rowOf = (number: number): string => `row-${number}@import.test`;

/** What is wanted at a place; `kind` where a fault waits for one. */
export function operationAt(
  index: number,
  random: Random,
  kind: OperationKind = random.weighted(kinds).kind,
): Action {
  const someone = () => `person-${random.whole(0, people - 1)}@audience.test`;
  const person = (): Person => ({
    email: someone(),
    fields: { [markOf(index)]: index, plan: random.pick(plans), score: random.whole(0, 99) },
  });
  const table = (part: number): Table => ({
    marker: `${markOf(index)}x${part}`,
    first: random.whole(0, maxTable / 3),
    rows: random.whole(maxTable / 3, maxTable),
  });
  const makers: Record<OperationKind, () => Action> = {
    upsert: () => ({ index, kind: 'upsert', people: [person()] }),
    bulk: () => ({ index, kind: 'bulk', people: Array.from({ length: random.whole(5, 30) }, person) }),
    track: () => ({
      index,
      kind: 'track',
      email: someone(),
      name: random.pick(eventNames),
      key: random.chance(0.7) ? `audience-${index}` : null,
    }),
    imports: () => ({
      index: index,
      kind: 'imports',
      tables: [table(0), table(1)],
      listGoes: random.chance(0.4),
    }),
    subscription: () => ({
      index,
      kind: 'subscription',
      email: `sub-${index}@audience.test`,
      double: random.chance(0.6),
      leaves: random.chance(0.3),
    }),
    recount: () => ({
      index: index,
      kind: 'recount',
      segment: random.whole(0, movingSegments - 1),
      condition: movedCondition(random),
    }),
    mail: () => ({ index, kind: 'mail', to: readerOf(random.whole(0, readers - 1)) }),
    farewell: () => ({ index, kind: 'farewell', email: deletedOf(index) }),
  };
  return makers[kind]();
}

/** The file of a table; every row has a score, so that imports move people between segments. */
export function csvOf({ marker, first, rows }: Table): string {
  const lines = Array.from({ length: rows }, (_, offset) => {
    const number = first + offset;
    return `${rowOf(number)},${plans[(number + rows) % plans.length]},${(number * 7 + rows) % 100},${rows}`;
  });
  return `email,plan,score,${marker}\n${lines.join('\n')}\n`;
}
