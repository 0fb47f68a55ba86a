import type {
  ActivityFilter,
  Condition,
  ConditionFilter,
  ConditionGroup,
  AddressFilter,
  EventFilter,
  MembershipFilter,
} from '@posthorn/contracts';
import { matchCustomField } from './match-custom-field.js';
import { matchInstant } from './match-instant.js';
import type { Subject } from './subject.js';
import { allOf, always, anyOf, from, never, until, type Verdict } from './verdict.js';

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
