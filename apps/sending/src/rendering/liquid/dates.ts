import { isTimeZone } from '@posthorn/contracts';

/** What the filters of dates know beside their arguments. */
export interface DateGlobals {
  now?: string;
  /** The project's. */
  timeZone?: string;
  /** Filled in by the filters. */
  unknownZones?: Set<string>;
}

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

const maxZone = 64;
const offset = /^([+-])(\d{2}):?(\d{2})$/;

/** An offset in minutes, or a name; the project's zone, else UTC, instead of one that does not exist. */
export function zoneOf(zone: unknown, { timeZone, unknownZones }: DateGlobals): string | number {
  const usual = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : 'UTC';
  if (zone === undefined || zone === null) return usual;
  if (typeof zone === 'number' && Number.isFinite(zone)) return zone;
  const name = (typeof zone === 'string' ? zone : JSON.stringify(zone)).slice(0, maxZone);
  const [, sign, hours, minutes] = offset.exec(name) ?? [];
  // Counted from local time to UTC, as in JavaScript.
  if (sign) return (sign === '+' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (isTimeZone(name)) return name;
  unknownZones?.add(name);
  return usual;
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
