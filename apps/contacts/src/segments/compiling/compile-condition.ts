import type {
  ActivityFilter,
  Condition,
  ConditionFilter,
  ConditionGroup,
  AddressFilter,
  EventFilter,
  InstantFilter,
  MembershipFilter,
  SubscribedFilter,
} from '@posthorn/contracts';
import { compileCustomField } from './compile-custom-field.js';
import { containing, edgeOf, negated, ordered, type CompileScope } from './sql-parts.js';

export type { CompileScope } from './sql-parts.js';

/** A predicate over the contact `scope.alias`: true for members, false or null for others. Every value is a parameter. */
export function compileCondition(condition: Condition, scope: CompileScope): string {
  return joinFilters(condition, (filter) => compileFilter(filter, scope));
}

export function joinFilters({ logic, groups }: Condition, of: (filter: ConditionFilter) => string): string {
  const joined = logic === 'AND' ? ' AND ' : ' OR ';
  return `(${groups.map((group) => joinGroup(group, of)).join(joined)})`;
}

function joinGroup({ filters, conditions }: ConditionGroup, of: (filter: ConditionFilter) => string): string {
  const parts = filters.map(of);
  if (conditions) parts.push(joinFilters(conditions, of));
  return `(${parts.join(' AND ')})`;
}

export function compileFilter(filter: ConditionFilter, scope: CompileScope): string {
  switch (filter.field) {
    case 'email':
      return compileEmail(filter, scope);
    case 'subscribed':
      return compileSubscribed(filter, scope);
    case 'createdAt':
    case 'updatedAt':
      return compileInstant(filter, scope);
    case 'customField':
      return compileCustomField(filter, scope);
    case 'event':
    case 'activity':
      return compileOccurrence(filter, scope);
    case 'segment':
    case 'list':
      return compileMembership(filter, scope);
  }
}

/** Addresses are stored in lower case, so the trigram index applies. */
function compileEmail({ operator, text }: AddressFilter, { alias, add }: CompileScope): string {
  const column = `${alias}.email`;
  if (operator === 'equals' || operator === 'notEquals')
    return `${column} ${operator === 'equals' ? '=' : '<>'} ${add(text)}::text`;
  return `${column} ${operator === 'contains' ? 'LIKE' : 'NOT LIKE'} ${add(containing(text))}::text`;
}

function compileSubscribed({ operator, flag }: SubscribedFilter, { alias, add }: CompileScope): string {
  return `${alias}.subscribed ${operator === 'equals' ? '=' : '<>'} ${add(flag)}::boolean`;
}

function compileInstant(filter: InstantFilter, scope: CompileScope): string {
  const column = `${scope.alias}.${filter.field === 'createdAt' ? 'created_at' : 'updated_at'}`;
  if ('spanMs' in filter)
    return `${column} ${filter.operator === 'within' ? '>=' : '<'} ${edgeOf(filter.spanMs, scope)}`;
  return ordered(column, filter.operator, filter.value, scope);
}

/** EXISTS leaves the planner the choice between a join, a hash and lookups. */
function compileOccurrence(filter: EventFilter | ActivityFilter, scope: CompileScope): string {
  const { add } = scope;
  const seen =
    filter.field === 'event'
      ? `s.name = ${add(filter.name)}::text`
      : `s.kind = ${add(filter.activity)}::text`;
  const found = (dated = '') => summaryFound(filter.field, `${seen}${dated}`, scope);
  const edge = () => edgeOf('spanMs' in filter ? filter.spanMs : 0, scope);
  switch (filter.operator) {
    case 'triggered':
      return found();
    case 'notTriggered':
      return negated(found());
    case 'triggeredWithin':
      return found(` AND s.last_at >= ${edge()}`);
    case 'triggeredOlderThan':
      return found(` AND s.last_at < ${edge()}`);
    case 'notTriggeredWithin':
      return negated(found(` AND s.last_at >= ${edge()}`));
  }
}

function summaryFound(
  field: 'event' | 'activity',
  matching: string,
  { alias, project }: CompileScope,
): string {
  const table = field === 'event' ? 'event_summaries' : 'mail_summaries';
  return `EXISTS (SELECT FROM ${table} s WHERE s.project_id = ${project} AND s.contact_id = ${alias}.id AND ${matching})`;
}

function compileMembership(
  { field, operator, id }: MembershipFilter,
  { alias, project, add }: CompileScope,
): string {
  const matching =
    field === 'list'
      ? `memberships m WHERE m.project_id = ${project} AND m.list_id = ${add(id)}::uuid AND m.contact_id = ${alias}.id AND m.status = 'CONFIRMED'`
      : `segment_members m WHERE m.project_id = ${project} AND m.segment_id = ${add(id)}::uuid AND m.contact_id = ${alias}.id`;
  const found = `EXISTS (SELECT FROM ${matching})`;
  return operator === 'isMemberOf' ? found : negated(found);
}
