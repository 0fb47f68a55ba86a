import type {
  ActivityFilter,
  Condition,
  ConditionFilter,
  ConditionGroup,
  AddressFilter,
  EventFilter,
  MembershipFilter,
  ComparedValue,
  CustomFieldFilter,
  Equality,
  OrderOperator,
  AgeOperator,
  InstantValue,
  EmailActivity,
} from '@posthorn/contracts';
import { allOf, always, anyOf, from, never, until, type Verdict } from './verdict.js';
import { readInstant } from './instant-text.js';

export interface Subject {
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  customFields: Record<string, unknown>;
  events: ReadonlyMap<string, Date>;
  activities: ReadonlyMap<EmailActivity, Date>;
  /** Confirmed ones only. */
  lists: ReadonlySet<string>;
  segments: ReadonlySet<string>;
}

export function matchCondition({ logic, groups }: Condition, subject: Subject, now: Date): Verdict {
  const verdicts = groups.map((group) => matchGroup(group, subject, now));
  return logic === 'AND' ? allOf(verdicts) : anyOf(verdicts);
}

function matchGroup({ filters, conditions }: ConditionGroup, subject: Subject, now: Date): Verdict {
  const verdicts = filters.map((filter) => matchFilter(filter, subject, now));
  if (conditions) verdicts.push(matchCondition(conditions, subject, now));
  return allOf(verdicts);
}

function matchFilter(filter: ConditionFilter, subject: Subject, now: Date): Verdict {
  switch (filter.field) {
    case 'email':
      return always(matchEmail(filter, subject.email));
    case 'subscribed':
      return always((subject.subscribed === filter.flag) === (filter.operator === 'equals'));
    case 'createdAt':
    case 'updatedAt':
      return matchInstant(filter, subject[filter.field], now);
    case 'customField':
      return matchCustomField(filter, subject.customFields, now);
    case 'event':
      return matchOccurrence(filter, subject.events.get(filter.name), now);
    case 'activity':
      return matchOccurrence(filter, subject.activities.get(filter.activity), now);
    case 'segment':
    case 'list':
      return always(isMember(filter, subject));
  }
}

function matchEmail({ operator, text }: AddressFilter, email: string): boolean {
  switch (operator) {
    case 'equals':
      return email === text;
    case 'notEquals':
      return email !== text;
    case 'contains':
      return email.includes(text);
    case 'notContains':
      return !email.includes(text);
  }
}

function matchOccurrence(filter: EventFilter | ActivityFilter, last: Date | undefined, now: Date): Verdict {
  const occurred = last !== undefined;
  if (!('spanMs' in filter)) return always(occurred === (filter.operator === 'triggered'));
  if (!occurred) return filter.operator === 'notTriggeredWithin' ? always(true) : never;
  const leaves = last.getTime() + filter.spanMs + 1;
  return filter.operator === 'triggeredWithin' ? until(leaves, now) : from(leaves, now);
}

function isMember({ field, id, operator }: MembershipFilter, { lists, segments }: Subject): boolean {
  return (field === 'list' ? lists : segments).has(id) === (operator === 'isMemberOf');
}

type InstantFilter =
  { operator: Equality | OrderOperator; value: InstantValue } | { operator: AgeOperator; spanMs: number };

const dayMs = 86_400_000;

function matchInstant(requested: InstantFilter, at: Date, now: Date): Verdict {
  if (!('spanMs' in requested)) return always(compareInstants(requested.operator, at, requested.value));
  const leaves = at.getTime() + requested.spanMs + 1;
  return requested.operator === 'within' ? until(leaves, now) : from(leaves, now);
}

function compareInstants(
  operator: Equality | OrderOperator,
  at: Date,
  { from: first, day }: InstantValue,
): boolean {
  const past = at.getTime() - first.getTime();
  switch (operator) {
    case 'equals':
      return past >= 0 && past < (day ? dayMs : 1);
    case 'notEquals':
      return past < 0 || past >= (day ? dayMs : 1);
    case 'greaterThan':
      return past > 0;
    case 'lessThan':
      return past < 0;
    case 'greaterThanOrEqual':
      return past >= 0;
    case 'lessThanOrEqual':
      return past <= 0;
  }
}

function matchCustomField(filter: CustomFieldFilter, fields: Record<string, unknown>, now: Date): Verdict {
  const stored = storedAt(fields, filter.path);
  if ('spanMs' in filter) {
    const at = instantOf(stored);
    return at ? matchInstant(filter, at, now) : never;
  }
  switch (filter.operator) {
    case 'exists':
      return always(stored !== undefined && stored !== null);
    case 'notExists':
      return always(stored === undefined || stored === null);
    case 'contains':
    case 'notContains':
      return always(
        typeof stored === 'string' &&
          inLowerCase(stored).includes(inLowerCase(filter.text)) === (filter.operator === 'contains'),
      );
    case 'equals':
    case 'notEquals':
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return always(compare(filter.operator, stored, filter.value));
  }
}

/** Reads members of objects only, never items of arrays. */
function storedAt(fields: Record<string, unknown>, path: readonly string[]): unknown {
  let stored: unknown = fields;
  for (const name of path) {
    const inside =
      typeof stored === 'object' && stored !== null && !Array.isArray(stored) && Object.hasOwn(stored, name);
    if (!inside) return undefined;
    stored = (stored as Record<string, unknown>)[name];
  }
  return stored;
}

function compare(operator: Equality | OrderOperator, stored: unknown, value: ComparedValue): boolean {
  switch (value.kind) {
    case 'number':
      return typeof stored === 'number' && holds(operator, stored - value.number);
    case 'flag':
      return typeof stored === 'boolean' && holds(operator, stored === value.flag ? 0 : 1);
    case 'text':
      // By code points as in Postgres; `<` compares UTF-16 code units.
      return (
        typeof stored === 'string' &&
        holds(operator, Buffer.compare(Buffer.from(stored), Buffer.from(value.text)))
      );
    case 'instant': {
      const at = instantOf(stored);
      return at !== null && compareInstants(operator, at, value);
    }
  }
}

function holds(operator: Equality | OrderOperator, difference: number): boolean {
  switch (operator) {
    case 'equals':
      return difference === 0;
    case 'notEquals':
      return difference !== 0;
    case 'greaterThan':
      return difference > 0;
    case 'lessThan':
      return difference < 0;
    case 'greaterThanOrEqual':
      return difference >= 0;
    case 'lessThanOrEqual':
      return difference <= 0;
  }
}

const instantOf = (stored: unknown): Date | null =>
  typeof stored === 'string' ? (readInstant(stored)?.at ?? null) : null;

/** By Unicode's simple mapping as in Postgres: no letter becomes two, and a sigma at the end of a word is like any other. */
const inLowerCase = (text: string): string =>
  text
    .replaceAll('İ', 'i')
    .split('Σ')
    .map((part) => part.toLowerCase())
    .join('σ');
