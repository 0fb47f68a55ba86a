const enoughMs = 400;
/** One alone may have been the one in which the garbage of other tests was collected. */
const leastRuns = 3;
/** Shorter times are those of the clock and the compiler. */
const leastMs = 0.5;
/** More than this is measured again: quadratic work shows a hundred each time, a busy machine does not. */
const surelyLinear = 15;
const maxRounds = 3;

/**
 * How many times more processor time the work takes on ten times the input: about 10 where it is
 * linear, 100 where it is quadratic. The best of a few runs counts, since collecting garbage takes time, too.
 */
export function growthOf(
  work: (text: string) => unknown,
  textOf: (length: number) => string,
  length = 6_000,
): number {
  let growth = Infinity;
  for (let round = 0; round < maxRounds && growth > surelyLinear; round += 1) {
    const small = Math.max(leastMs, bestMs(work, textOf(length)));
    growth = Math.min(growth, bestMs(work, textOf(10 * length)) / small);
  }
  return growth;
}

/** A text of this length that consists of repetitions, with an end that lets it match nothing. */
export const repeated =
  (unit: string, end = '') =>
  (length: number): string =>
    unit.repeat(Math.ceil(length / unit.length)) + end;

function bestMs(work: (text: string) => unknown, text: string): number {
  let [best, sum] = [Infinity, 0];
  for (let run = 0; run < 9 && (run < leastRuns || sum < enoughMs); run += 1) {
    const began = process.cpuUsage();
    work(text);
    const { user, system } = process.cpuUsage(began);
    const took = (user + system) / 1_000;
    best = Math.min(best, took);
    sum += took;
  }
  return best;
}
