import type { RateInterval, WinnerDecision, WinnerMeasure } from '@posthorn/contracts';

export interface CountsOfVariant {
  recipients: number;
  sent: number;
  opened: number;
  clicked: number;
}

/** Of a variant; fewer tell nothing. */
const leastSent = 10;
/** Of the normal distribution, for 95 %. */
const z = 1.96;

export const countedBy = (
  { opened, clicked }: CountsOfVariant,
  measure: Exclude<WinnerMeasure, 'MANUAL'>,
): number => (measure === 'OPENS' ? opened : clicked);

/** The first variant where two are best, or one was sent too rarely. */
export function winnerOf(
  counts: readonly CountsOfVariant[],
  measure: Exclude<WinnerMeasure, 'MANUAL'>,
): { variant: number; decidedBy: WinnerDecision } {
  const rates = counts.map((each) => (each.sent === 0 ? 0 : countedBy(each, measure) / each.sent));
  const best = Math.max(...rates);
  const isClear =
    counts.every(({ sent }) => sent >= leastSent) && rates.filter((rate) => rate === best).length === 1;
  return isClear ? { variant: rates.indexOf(best), decidedBy: measure } : { variant: 0, decidedBy: 'FIRST' };
}

/** Wilson's interval of a rate, in percent with one decimal. */
export function intervalOf(part: number, whole: number): RateInterval {
  if (whole === 0) return { low: 0, high: 100 };
  const rate = part / whole;
  const middle = rate + z ** 2 / (2 * whole);
  const width = z * Math.sqrt((rate * (1 - rate)) / whole + z ** 2 / (4 * whole ** 2));
  const divisor = 1 + z ** 2 / whole;
  const percent = (value: number) => Math.round(1_000 * Math.min(1, Math.max(0, value))) / 10;
  return { low: percent((middle - width) / divisor), high: percent((middle + width) / divisor) };
}
