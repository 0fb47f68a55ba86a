import type { Equality, InstantValue, OrderOperator } from '@posthorn/contracts';
import { ordered, signOf, type CompileScope } from './sql-parts.js';

const dateOnly = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const timeOfDay = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?';
/** The cast refuses larger offsets. */
const zone = '(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])';

const dayMs = 86_400_000;
const afterAllDates = ':';

const byBytes = (text: string): string => `${text} COLLATE "C"`;

// Searching for a wrong character costs a quarter of an anchored pattern, and pg_input_is_valid a tenth of a pattern that knows the months.
const looksLikeDay = (text: string): string => `${text} LIKE '____-__-__'`;
const isDay = (text: string): string => `${text} !~ '[^0-9-]|--|-$' AND pg_input_is_valid(${text}, 'date')`;
const isInstant = (text: string): string =>
  `${text} ~ '^${dateOnly}T${timeOfDay}${zone}$' AND pg_input_is_valid(left(${text}, 10), 'date')`;
/** Digits after the milliseconds are truncated; a cast alone would round. */
const cut = (text: string): string => `regexp_replace(${text}, '([.][0-9]{3})[0-9]+', '\\1')::timestamptz`;

export function instantOf(text: string): string {
  return `(CASE WHEN ${looksLikeDay(text)} THEN CASE WHEN ${isDay(text)} THEN (${text} || 'T00:00:00Z')::timestamptz END
    WHEN ${isInstant(text)} THEN ${cut(text)} END)`;
}

/** ISO dates sort as text: that decides for days and excludes most instants before the expensive cast. */
export function comparedInstant(
  text: string,
  operator: Equality | OrderOperator,
  value: InstantValue,
  scope: CompileScope,
): string {
  const instant = `WHEN ${isInstant(text)} THEN ${ordered(cut(text), operator, value, scope)}`;
  return `CASE WHEN ${matchesAsDay(text, operator, value, scope)} THEN CASE WHEN ${looksLikeDay(text)} THEN ${isDay(text)} ${instant} END
    WHEN ${mayMatch(text, operator, value, scope)} THEN CASE ${instant} END END`;
}

/** For the text of a day. A value within a day lies between two days. */
function matchesAsDay(
  text: string,
  operator: Equality | OrderOperator,
  { from }: InstantValue,
  { add }: CompileScope,
): string {
  const [floor, ceiling] = [dayOf(from), dayOf(new Date(from.getTime() + dayMs - 1))];
  if (operator === 'equals' || operator === 'notEquals')
    return floor === ceiling
      ? `${byBytes(text)} ${signOf(operator)} ${add(floor)}::text`
      : String(operator === 'notEquals');
  const edge = operator === 'lessThan' || operator === 'greaterThanOrEqual' ? ceiling : floor;
  return `${byBytes(text)} ${signOf(operator)} ${add(edge)}::text`;
}

/** With its offset, the date of an instant is that in UTC, the one before or the one after. */
function mayMatch(
  text: string,
  operator: Equality | OrderOperator,
  { from }: InstantValue,
  { add }: CompileScope,
): string {
  const after = () => `${byBytes(text)} >= ${add(dayOf(new Date(from.getTime() - dayMs)))}::text`;
  const before = (days: number) =>
    `${byBytes(text)} < ${add(dayOf(new Date(from.getTime() + days * dayMs)))}::text`;
  switch (operator) {
    case 'lessThan':
    case 'lessThanOrEqual':
      return before(2);
    case 'greaterThan':
    case 'greaterThanOrEqual':
      return after();
    case 'equals':
      return `${after()} AND ${before(3)}`;
    case 'notEquals':
      return 'true';
  }
}

function dayOf(at: Date): string {
  return at.getUTCFullYear() > 9_999 ? afterAllDates : at.toISOString().slice(0, 10);
}
