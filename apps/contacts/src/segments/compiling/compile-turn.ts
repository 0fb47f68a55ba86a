import type { Condition, ConditionFilter, ConditionGroup } from '@posthorn/contracts';
import { textAt } from './compile-custom-field.js';
import { instantOf } from './compile-date.js';
import type { CompileScope } from './sql-parts.js';

/** The first instant after now at which time alone may change the result for a contact, or null; undefined for a condition without spans of time. */
export function compileTurn(condition: Condition, scope: CompileScope): string | undefined {
  const turns = spansOf(condition).map((filter) => turnOf(filter, scope));
  return turns.length > 0 ? `least(${turns.join(', ')})` : undefined;
}

type Span = Extract<ConditionFilter, { spanMs: number }>;

function spansOf({ groups }: Condition): Span[] {
  return groups.flatMap(({ filters, conditions }: ConditionGroup) => [
    ...filters.filter((filter): filter is Span => 'spanMs' in filter),
    ...(conditions ? spansOf(conditions) : []),
  ]);
}

function turnOf(filter: Span, scope: CompileScope): string {
  const turn = `${instantRequested(filter, scope)} + ${scope.add(filter.spanMs + 1)}::float8 * interval '1 millisecond'`;
  return `(SELECT turn FROM (SELECT ${turn} AS turn) AS next WHERE turn > ${scope.now})`;
}

function instantRequested(filter: Span, scope: CompileScope): string {
  const { alias, project, add } = scope;
  const last = (table: string, matching: string) =>
    `(SELECT s.last_at FROM ${table} s WHERE s.project_id = ${project} AND s.contact_id = ${alias}.id AND ${matching})`;
  switch (filter.field) {
    case 'createdAt':
      return `${alias}.created_at`;
    case 'updatedAt':
      return `${alias}.updated_at`;
    case 'customField':
      return instantOf(textAt(filter.path, scope));
    case 'event':
      return last('event_summaries', `s.name = ${add(filter.name)}::text`);
    case 'activity':
      return last('mail_summaries', `s.kind = ${add(filter.activity)}::text`);
  }
}
