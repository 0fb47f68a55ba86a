import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { gatewayCommits, untilReportedMs } from './credentials.js';
import type { Bench } from './bench.js';
import { OneProcess } from './one-process.js';

/** No token, and one whose end was guessed wrong. */
const wrong = ['sk_live_wrong', `sk_live_${'A'.repeat(43)}`];

/** Somebody who guesses keys as fast as they can: what is answered, and what it costs. */
export async function benchWrongTokens({ servers, scale, rows }: Bench): Promise<void> {
  const one = await OneProcess.start(servers, { DELIVERY_PAUSED: 'true' });
  try {
    await guess(one.url, 2);
    const megabytes = one.megabytes;
    await delay(untilReportedMs);
    const counts = [await gatewayCommits(servers)];
    await delay(scale.seconds * 1_000 + untilReportedMs);
    counts.push(await gatewayCommits(servers));
    const { answered, perSecond } = await guess(one.url, scale.seconds);
    await delay(untilReportedMs);
    counts.push(await gatewayCommits(servers));
    const [before, between, after] = counts as [number, number, number];
    // What the gateway asks by itself, whether anybody guesses or not, is taken off.
    const looks = Math.max(0, after - between - (between - before));
    rows.push({ name: 'wrong tokens/s answered by the one process', product: perSecond, floor: 10_000 });
    rows.push({
      name: `statements for one of ${answered} wrong tokens`,
      product: looks / answered,
      ceiling: 0.001,
    });
    rows.push({
      name: 'growth while they were answered, MB',
      product: one.megabytes - megabytes,
      ceiling: 50,
    });
  } finally {
    await one.stop();
  }
}

async function guess(url: string, seconds: number): Promise<{ answered: number; perSecond: number }> {
  const answers = await autocannon({
    url: `${url}/api/v1/contacts`,
    connections: 32,
    pipelining: 8,
    duration: seconds,
    requests: wrong.map((token) => ({ headers: { authorization: `Bearer ${token}` } })),
  });
  const refused = answers['4xx'];
  if (answers.errors > 0 || refused < answers.requests.total)
    throw new Error(`${answers.requests.total - refused} wrong tokens were not refused`);
  return { answered: refused, perSecond: refused / answers.duration };
}
