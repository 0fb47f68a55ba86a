const texts = ['now', 'today'];
const zoned = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})\s*(?:\([^)]*\))?$/i;
const dateOnly = /^\s*\d{4}-\d{2}-\d{2}\s*$/;
const seconds = /^\d+$/;
/** The longest that JavaScript writes has about 75 characters, with the name of the zone. */
const maxDate = 128;

export const isTooLong = (value: unknown): boolean => typeof value === 'string' && value.length > maxDate;

/** Never uses the clock or the time zone of the machine; dates without a zone are UTC. */
export function atInstant(value: unknown, now: string | undefined): unknown {
  if (typeof value !== 'string') return value;
  if (texts.includes(value)) return new Date(now ?? 0);
  if (seconds.test(value) || zoned.test(value) || dateOnly.test(value)) return value;
  const local = new Date(value);
  return Number.isNaN(local.getTime()) ? value : asUtc(local);
}

const asUtc = (local: Date): Date =>
  new Date(
    Date.UTC(
      local.getFullYear(),
      local.getMonth(),
      local.getDate(),
      local.getHours(),
      local.getMinutes(),
      local.getSeconds(),
      local.getMilliseconds(),
    ),
  );
