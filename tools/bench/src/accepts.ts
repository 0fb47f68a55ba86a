import { chooseQuietPort } from '@posthorn/dev';
import { makeSendingProject } from '@posthorn/testing';
import { agree, waitMs, type Bench } from './bench.js';
import { load, type LoadResult } from './load.js';
import { Process } from './processes.js';
import { benchLimit, OneProcess, Product } from './product.js';

const floors: Record<number, number> = { 1: 25, 16: 40, 64: 50 };
const paused = { DELIVERY_PAUSED: 'true' };

/** Reference and product take turns in one run: delivery paused, then running, then all services in one process. */
export async function benchAccepts(bench: Bench): Promise<void> {
  const { servers, rows } = bench;
  const port = await chooseQuietPort();
  const reference = Process.run('reference-accept.js', {
    DATABASE_URL: servers.databaseUrl,
    PORT: String(port),
  });
  await reference.untilOutput('ready');
  const referenceUrl = `http://127.0.0.1:${port}`;
  const product = await Product.start(servers, paused);
  try {
    await Promise.all([load(referenceUrl, 16, 2), load(product.url, 16, 2, product.token)]);
    for (const clients of [1, 16, 64]) await compare(bench, clients, referenceUrl, product);
    await agree(bench.servers);
    await product.restart('sending', {});
    // What was accepted while delivery was paused is not part of the next figures.
    await product.drained();
    for (const clients of [1, 16, 64]) {
      const { perSecond } = await loaded(product.url, clients, bench.scale.seconds, product.token);
      rows.push({ name: `accepts/s at ${clients} connections, delivery running`, product: perSecond });
    }
    await agree(bench.servers);
  } finally {
    await product.stop();
    await reference.stop();
  }
  await benchOneProcess(bench);
}

async function compare(
  { scale, rows }: Bench,
  clients: number,
  referenceUrl: string,
  product: Product,
): Promise<void> {
  const theirs: LoadResult[] = [];
  const ours: LoadResult[] = [];
  for (let round = 0; round < scale.rounds; round += 1) {
    theirs.push(await loaded(referenceUrl, clients, scale.seconds));
    ours.push(await loaded(product.url, clients, scale.seconds, product.token));
  }
  const of = (results: LoadResult[], member: 'perSecond' | 'p99') =>
    waitMs(results.map((result) => result[member]));
  rows.push({
    name: `accepts/s at ${clients} connections`,
    product: of(ours, 'perSecond'),
    reference: of(theirs, 'perSecond'),
    floorPercent: floors[clients]!,
  });
  if (clients !== 16) return;
  rows.push({
    name: 'accept p99 ms at 16 connections',
    product: of(ours, 'p99'),
    reference: of(theirs, 'p99'),
    ceilingTimes: 3,
  });
}

async function benchOneProcess({ servers, scale, rows }: Bench): Promise<void> {
  const one = await OneProcess.start(servers, paused);
  try {
    const { token } = await makeSendingProject(servers.natsUrl, 'bench', benchLimit);
    await load(one.url, 16, 1, token);
    const { perSecond } = await loaded(one.url, 64, scale.seconds, token);
    rows.push({ name: 'accepts/s at 64 connections, one process', product: perSecond });
    await agree(servers);
  } finally {
    await one.stop();
  }
}

async function loaded(url: string, clients: number, seconds: number, token?: string): Promise<LoadResult> {
  const result = await load(url, clients, seconds, token);
  if (result.failed > 0)
    throw new Error(`${result.failed} of ${result.accepted + result.failed} sends failed`);
  return result;
}
