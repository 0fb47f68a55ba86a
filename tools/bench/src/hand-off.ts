import { agree, type Bench } from './bench.js';
import { fill } from './load.js';
import { Product } from './product.js';
import { referencePool } from './reference-pool.js';

const connections = 16;
const paused = { DELIVERY_PAUSED: 'true' };
/** Seen from the mail server, for product and reference alike; while connections and processes are still starting nothing is measured. */
const skippedShare = 0.2;
const measuredShare = 0.7;

/** Backlogs, accepted while delivery was paused: beside one nodemailer pool, with two processes, and growing. */
export async function benchHandOff(bench: Bench): Promise<void> {
  const { servers, sink, scale, rows } = bench;
  const pool = async (): Promise<number> => {
    const rate = measured(bench, scale.backlog);
    await referencePool(sink.url, scale.backlog, connections);
    return rate;
  };
  const product = await Product.start(servers, paused, { sending: 2 });
  try {
    const theirs = [await pool()];
    const one = await drain(bench, product, scale.backlog, 1);
    theirs.push(await pool());
    rows.push({
      name: `hand-off/s of a backlog of ${scale.backlog}`,
      product: one,
      reference: (theirs[0]! + theirs[1]!) / 2,
      floorPercent: 60,
    });
    const two = await drain(bench, product, scale.backlog, 2);
    rows.push({ name: 'hand-off/s with 2 sending processes, beside 1', product: two, reference: one, floorPercent: 120 });
    const small = await drain(bench, product, scale.small, 1);
    const large = await drain(bench, product, scale.large, 1, scale.small);
    rows.push({
      name: `hand-off/s with ${scale.large} waiting, beside ${scale.small}`,
      product: large,
      reference: small,
      floorPercent: 90,
    });
    await agree(bench.servers);
  } finally {
    await product.stop();
  }
}

/** Fills, lets so many processes hand over, and answers the rate of the first part; waits for the rest. */
async function drain(bench: Bench, product: Product, waiting: number, processes: number, looked = waiting): Promise<number> {
  await fill(product.url, product.token, waiting);
  await agree(bench.servers);
  const rate = measured(bench, looked);
  const replicas = Array.from({ length: processes }, (_, place) => place + 1);
  await Promise.all(replicas.map((replica) => product.restart('sending', {}, replica)));
  const perSecond = await rate;
  await product.drained();
  await Promise.all(replicas.map((replica) => product.restart('sending', paused, replica)));
  return perSecond;
}

/** At the mail server, over the middle of so many messages. */
export const measured = ({ sink }: Bench, count: number): Promise<number> =>
  sink.measure(Math.floor(count * measuredShare), Math.floor(count * skippedShare));
