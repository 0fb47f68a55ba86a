import { readFileSync } from 'node:fs';

/** Proportional set size where the kernel tells it: shared pages count once. */
export function residentMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1_024;
}

const ticksPerSecond = 100;

/** In user and kernel mode, since its start. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

const checkEveryMs = 50;

/** The most that there is from now until it is stopped, and by how much that is more than now. */
export function watchMost(
  look: () => number,
  everyMs = checkEveryMs,
): { stop: () => { most: number; growth: number } } {
  const before = look();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, look())), everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      most = Math.max(most, look());
      return { most, growth: most - before };
    },
  };
}
