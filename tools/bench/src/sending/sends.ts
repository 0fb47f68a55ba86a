import { agree, waitMs, type Bench } from '../bench.js';
import { loadAll, type Requested } from '../load.js';
import { benchMail } from '../mail.js';
import { Product } from '../product.js';
import { newsletterData } from './newsletter.js';
import { makeNewsletter, makeProject } from './project.js';

const connections = 16;
const inBatch = 100;
const turnsInRound = 3;
const warmSeconds = 2;

/** Ways to send, beside the plain one: by template, and a hundred at once. */
export async function benchSends(bench: Bench): Promise<void> {
  const product = await Product.start(bench.servers, { DELIVERY_PAUSED: 'true' });
  try {
    const { token } = await makeProject(bench.servers);
    const template = await makeNewsletter(product.url, token);
    const post = (path: string, body: object): Requested => ({
      ...{ method: 'POST', path, body: JSON.stringify(body) },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    const plain = () => post('/api/v1/emails', mail());
    const [templated, single] = await inTurns(bench, product.url, [
      { requested: () => post('/api/v1/emails', { to: mail().to, template, data: newsletterData }), each: 1 },
      { requested: plain, each: 1 },
    ]);
    bench.rows.push({
      name: `templated accepts/s at ${connections} connections, beside plain ones`,
      product: templated!,
      reference: single!,
      floorPercent: 70,
    });
    const [batched, alone] = await inTurns(bench, product.url, [
      {
        requested: () => post('/api/emails/batch', { emails: Array.from({ length: inBatch }, mail) }),
        each: inBatch,
      },
      { requested: plain, each: 1 },
    ]);
    bench.rows.push({
      name: `messages/s in batches of ${inBatch}, beside single sends`,
      product: batched!,
      reference: alone!,
      floorPercent: 500,
    });
    await agree(bench.servers);
  } finally {
    await product.stop();
  }
}

interface Side {
  requested: () => Requested;
  /** Messages in one request. */
  each: number;
}

async function inTurns({ scale }: Bench, url: string, sides: Side[]): Promise<number[]> {
  const rates: number[][] = sides.map(() => []);
  for (const { requested } of sides) await loadAll([url], connections, warmSeconds, requested);
  for (let turn = 0; turn < scale.rounds * turnsInRound; turn += 1) {
    for (const [index, { requested, each }] of sides.entries()) {
      const { perSecond, failed } = await loadAll(
        [url],
        connections,
        scale.seconds / turnsInRound,
        requested,
      );
      if (failed > 0) throw new Error(`${failed} requests failed`);
      rates[index]!.push(perSecond * each);
    }
  }
  return rates.map(waitMs);
}

let location = 0;
const mail = () => benchMail((location += 1) + 10_000_000);
