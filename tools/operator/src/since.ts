import { invalidMember, parseInstant } from '@posthorn/contracts';

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An instant as the API writes it, or how long ago: `90s`, `15m`, `2h`, `7d`. */
export function readSince(text: string, now: Date): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const instant = unit ? new Date(now.getTime() - Number(count) * units[unit]!) : parseInstant(text);
  if (!instant)
    throw invalidMember(
      ['since'],
      'invalid_format',
      'must be an instant such as 2026-01-31T09:00:00Z, or 15m, 2h, 7d',
    );
  return instant;
}
