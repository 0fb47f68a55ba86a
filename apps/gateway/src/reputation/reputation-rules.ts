/** The rolling window (docs/api-decisions.md §2). */
export const windowDays = 7;
/** With fewer, a rate says nothing. */
const fewestSent = 100;
const limits = { bounced: 0.1, complained: 0.0015 } as const;
const warnedAt = 0.5;

export interface Counts {
  sent: number;
  bounced: number;
  complained: number;
}

export type Verdict = 'GOOD' | 'WARNING' | 'DISABLED';

export function verdictOf(counts: Counts): Verdict {
  const reaches = (part: number) =>
    counts.sent >= fewestSent &&
    (counts.bounced >= limits.bounced * part * counts.sent ||
      counts.complained >= limits.complained * part * counts.sent);
  if (reaches(1)) return 'DISABLED';
  return reaches(warnedAt) && counts.bounced + counts.complained > 0 ? 'WARNING' : 'GOOD';
}

export const percentOf = (count: number, { sent }: Counts): string =>
  `${((100 * count) / sent).toFixed(2)} %`;
export const limitTexts = {
  bounced: `${100 * limits.bounced} %`,
  complained: `${100 * limits.complained} %`,
} as const;
