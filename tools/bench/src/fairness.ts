import { agree, nth, type Bench } from './bench.js';
import { fill } from './load.js';
import { Product } from './product.js';
import { SingleMails } from './singles.js';

/** Single mails of one project, idle and beside the backlog of another: from the request to the mail server. */
export async function benchFairness(bench: Bench): Promise<void> {
  const { servers, scale, rows } = bench;
  const product = await Product.start(servers, {});
  try {
    const singles = await SingleMails.start(bench, product);
    const idle = nth(await singles.times('idle', scale.singles), 0.95);
    await product.restart('sending', { DELIVERY_PAUSED: 'true' });
    await fill(product.url, product.token, scale.huge);
    await product.restart('sending', {});
    const busy = nth(await singles.times('busy', scale.singles), 0.95);
    const left = await product.waiting();
    if (left === 0) throw new Error('the backlog was gone before the last single mail: it proves nothing');
    const name = `p95 ms of a single mail beside a backlog of ${scale.huge} (${left} left)`;
    rows.push({ name, product: busy, reference: idle, ceilingTimes: 3, ceiling: 3_000 });
    await agree(servers);
  } finally {
    await product.stop();
  }
}
