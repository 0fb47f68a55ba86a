const day = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const time = String.raw`([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?`;
/** The offsets that Postgres accepts. */
const offset = String.raw`(Z|[+-](0\d|1[0-4]):?[0-5]\d)`;
const dateOnly = new RegExp(`^${day}$`);
const instant = new RegExp(`^${day}T${time}${offset}$`);

export interface ReadInstant {
  at: Date;
  /** Only a date, read as the first instant of that UTC day. */
  day: boolean;
}

/** An ISO 8601 date, or date and time with an offset, of the years 1 to 9999, truncated to milliseconds; null for other texts. */
export function readInstant(text: string): ReadInstant | null {
  const match = dateOnly.exec(text) ?? instant.exec(text);
  if (!match || !isDate(match[1]!, match[2]!, match[3]!)) return null;
  const isDay = text.length === 10;
  const whole = isDay
    ? `${text}T00:00:00Z`
    : text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2').replace(/(\.\d{3})\d+/, '$1');
  return { at: new Date(whole), day: isDay };
}

function isDate(year: string, month: string, ofMonth: string): boolean {
  const date = new Date(`${year}-${month}-${ofMonth}T00:00:00Z`);
  return year !== '0000' && !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(ofMonth);
}
