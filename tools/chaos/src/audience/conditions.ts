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

export const plans = ['free', 'pro', 'team'];
export const eventNames = ['signup', 'order', 'visit'];
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
