import nodemailer from 'nodemailer';
import { agree, type Bench } from './bench.js';
import { fill } from './load.js';
import { benchMail } from './mail.js';
import { Product } from './product.js';

const connections = 16;
const paused = { DELIVERY_PAUSED: 'true' };
/** Seen from the mail server, for product and reference alike; while connections and processes are still starting nothing is measured. */
const skippedShare = 0.2;
const measuredShare = 0.7;

type Rates = Record<'pool' | 'one' | 'two' | 'small' | 'large', number[]>;
/** Each comes first as often as the one that it is compared with. */
const turns = 'pool one two two one pool small large large small'.split(' ') as (keyof Rates)[];

/**
 * Backlogs, accepted while delivery was paused: beside one nodemailer pool, with two processes, and growing.
 * Sides that are compared take turns, each first as often as the other, so that they share the machine's moods.
 */
export async function benchHandOff(bench: Bench): Promise<void> {
  const { servers, sink, scale } = bench;
  const rates: Rates = { pool: [], one: [], two: [], small: [], large: [] };
  const sides: Record<keyof Rates, (product: Product) => Promise<number>> = {
    pool: async () => {
      const rate = measured(bench, scale.backlog);
      await referencePool(sink.url, scale.backlog, connections);
      return rate;
    },
    one: (product) => drain(bench, product, scale.backlog, 1),
    two: (product) => drain(bench, product, scale.backlog, 2),
    small: (product) => drain(bench, product, scale.small, 1),
    large: (product) => drain(bench, product, scale.large, 1, scale.small),
  };
  await Product.during(
    servers,
    paused,
    async (product) => {
      for (const side of turns) rates[side].push(await sides[side](product));
      await agree(servers);
    },
    { sending: 2 },
  );
  publish(bench, rates);
}

function publish({ rows, scale }: Bench, rates: Rates): void {
  const [pool, one, two, small, large] = [rates.pool, rates.one, rates.two, rates.small, rates.large].map(
    mean,
  );
  rows.push(
    {
      name: `hand-off/s of a backlog of ${scale.backlog}`,
      product: one!,
      reference: pool!,
      floorPercent: 60,
    },
    {
      name: 'hand-off/s with 2 sending processes, beside 1',
      product: two!,
      reference: one!,
      floorPercent: 120,
    },
    {
      name: `hand-off/s with ${scale.large} waiting, beside ${scale.small}`,
      product: large!,
      reference: small!,
      floorPercent: 90,
    },
  );
}

const mean = (rates: readonly number[]): number => rates.reduce((sum, rate) => sum + rate, 0) / rates.length;

/** Fills, lets so many processes hand over, and returns the rate of the first part; waits for the rest. */
async function drain(
  bench: Bench,
  product: Product,
  waiting: number,
  processes: number,
  checked = waiting,
): Promise<number> {
  await fill(product.url, product.token, waiting);
  await agree(bench.servers);
  const rate = measured(bench, checked);
  const replicas = Array.from({ length: processes }, (_, index) => index + 1);
  await Promise.all(replicas.map((replica) => product.restart('sending', {}, replica)));
  const perSecond = await rate;
  await product.drained();
  await Promise.all(replicas.map((replica) => product.restart('sending', paused, replica)));
  return perSecond;
}

/** At the mail server, over the middle of so many messages. */
export const measured = ({ sink }: Bench, count: number): Promise<number> =>
  sink.measure(Math.floor(count * measuredShare), Math.floor(count * skippedShare));

/** One nodemailer pool with nothing else to do, sending the same messages to the same sink. */
async function referencePool(smtpUrl: string, count: number, connections: number): Promise<void> {
  const { hostname, port } = new URL(smtpUrl);
  const transport = nodemailer.createTransport({
    pool: true,
    host: hostname,
    port: Number(port),
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: 100,
  });
  const sends = Array.from({ length: count }, (_, index) => {
    const { to, subject, body, text } = benchMail(index);
    return transport.sendMail({ from: 'hello@example.test', to, subject, html: body, text });
  });
  await Promise.all(sends);
  transport.close();
}
