import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseQuietPort, startNats, startPostgres } from '@posthorn/dev';
import { footprint } from './footprint.js';
import { load, type LoadResult } from './load.js';
import { Process, startSink } from './processes.js';
import { Product, type Servers } from './product.js';
import { referencePool } from './reference-pool.js';
import { report, type Row } from './report.js';

const quick = process.argv.includes('--quick');
const seconds = quick ? 3 : 10;
const rounds = quick ? 1 : 3;
const backlog = quick ? 3_000 : 10_000;
const connections = 16;

const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
chmodSync(root, 0o755);
const postgres = await startPostgres({ dataDirectory: join(root, 'postgres') });
const nats = await startNats({ dataDirectory: join(root, 'nats'), binDirectory: join('.posthorn', 'bin') });
const sink = await startSink();
const servers: Servers = { databaseUrl: postgres.url, natsUrl: nats.url, smtpUrl: sink.url };

console.log(
  `${cpus().length} cores; Postgres with fsync, full_page_writes and synchronous_commit on; one process a service, its pool 10; reference: one process, pool 16`,
);
const rows: Row[] = [];
const started: { stop(): Promise<void> }[] = [];
try {
  await benchAccepts();
  await benchHandOff();
  rows.push(...(await footprint()));
} finally {
  for (const each of started) await each.stop();
  sink.stop();
  await nats.stop();
  await postgres.stop();
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = report(rows);

/** Reference and product take turns in one run, delivery paused; the last round's rows are counted. */
async function benchAccepts(): Promise<void> {
  const port = await chooseQuietPort();
  const reference = Process.run('reference-accept.js', { DATABASE_URL: postgres.url, PORT: String(port) });
  const product = await Product.start(servers, { DELIVERY_PAUSED: 'true' });
  started.push(reference, product);
  await reference.untilSays('ready');
  const referenceUrl = `http://127.0.0.1:${port}`;
  await load(referenceUrl, 16, 2);
  await load(product.url, 16, 2, product.token);
  for (const clients of [1, 16, 64]) {
    const theirs: LoadResult[] = [];
    const ours: LoadResult[] = [];
    for (let round = 0; round < rounds; round += 1) {
      theirs.push(await load(referenceUrl, clients, seconds));
      ours.push(await load(product.url, clients, seconds, product.token));
    }
    const floor = { 1: 25, 16: 40, 64: 50 }[clients]!;
    rows.push({
      name: `accepts/s at ${clients} connections`,
      product: median(ours, 'perSecond'),
      reference: median(theirs, 'perSecond'),
      floorPercent: floor,
    });
    if (clients === 16)
      rows.push({
        name: 'accept p99 ms at 16 connections',
        product: median(ours, 'p99'),
        reference: median(theirs, 'p99'),
        ceilingTimes: 3,
      });
    const failed = ours.reduce((sum, { failed: count }) => sum + count, 0);
    if (failed > 0) throw new Error(`${failed} sends failed`);
  }
  await reference.stop();
  await agree(product);
  await product.stop();
}

/** A backlog, accepted while delivery was paused, handed over by one sending process. */
async function benchHandOff(): Promise<void> {
  const product = await Product.start(servers, { DELIVERY_PAUSED: 'true' });
  started.push(product);
  const waiting = (await product.counts()).emails;
  while ((await product.counts()).emails < Math.max(waiting, backlog)) await load(product.url, 64, 1, product.token);
  const theirs = [await referencePoolRate()];
  const measured = sink.measure(Math.min(backlog, (await product.counts()).emails));
  await product.restart('sending', {});
  const ours = await measured;
  await product.restart('sending', { DELIVERY_PAUSED: 'true' });
  theirs.push(await referencePoolRate());
  rows.push({
    name: `hand-off/s of a backlog of ${backlog}`,
    product: ours,
    reference: theirs.reduce((a, b) => a + b) / theirs.length,
    floorPercent: 60,
  });
  await product.stop();
}

function referencePoolRate(): Promise<number> {
  return referencePool(sink.url, backlog, connections);
}

async function agree(product: Product): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { emails, facts, contacts, counted } = await product.counts();
    if (emails === facts && emails === contacts && emails === counted) {
      console.log(`rows: ${emails} e-mails = ${facts} fact items = ${contacts} contacts = ${counted} counted`);
      return;
    }
    if (tries > 300) throw new Error(`the rows disagree: ${JSON.stringify({ emails, facts, contacts, counted })}`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

function median(results: LoadResult[], member: 'perSecond' | 'p99'): number {
  const sorted = results.map((result) => result[member]).sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}
