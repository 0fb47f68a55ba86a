import { readFileSync } from 'node:fs';

/** Proportional set size where the kernel tells it: shared pages count once. */
export function residentMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1_024;
}
