import type { Bench } from '../bench.js';
import { benchClaims } from './claims.js';
import { benchThroughput } from './throughput.js';

export async function benchWork(bench: Bench): Promise<void> {
  await benchThroughput(bench);
  await benchClaims(bench);
}
