const iso = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Strict ISO 8601: Postgres would also accept `now`, `infinity` and `yesterday` (docs/guarantees.md §5). */
export function parseInstant(text: string): Date | null {
  const ours = asWeWrite(text);
  if (ours) return ours;
  const match = iso.exec(text);
  if (!match) return null;
  const [, year, month, day, hour, minute, second = '0'] = match.map((part) => part ?? '0');
  const calendar = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const real = calendar.getUTCMonth() === Number(month) - 1 && calendar.getUTCDate() === Number(day);
  if (!real || Number(year) < 1970 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return null;
  const instant = new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** Fast path for the form that services write. */
function asWeWrite(text: string): Date | null {
  if (text.length !== 24) return null;
  const at = new Date(text);
  return at.getTime() >= 0 && at.toISOString() === text ? at : null;
}

export function parseDay(text: string): Date | null {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseInstant(`${text}T00:00:00Z`) : null;
}
