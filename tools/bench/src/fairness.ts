import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import { agree, nth, type Bench } from './bench.js';
import { fill } from './load.js';
import { watchedDomain } from './mail.js';
import { Product } from './product.js';

const betweenMs = 50;
const warmUp = 5;

/** Single mails of one project, idle and beside the backlog of another: from the request to the mail server. */
export async function benchFairness({ servers, sink, scale, rows }: Bench): Promise<void> {
  const product = await Product.start(servers, {});
  try {
    const { token } = await makeSendingProject(servers.natsUrl, 'single');
    const way = async (location: string): Promise<number> => {
      const to = `${location}${watchedDomain}`;
      const arrival = sink.arrival(to);
      const began = performance.now();
      const { status } = await fetch(`${product.url}/api/v1/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to, subject: 'One', body: '<p>One</p>' }),
      });
      if (status !== 202) throw new Error(`a single mail was answered ${status}`);
      await arrival;
      return performance.now() - began;
    };
    const ways = async (name: string): Promise<number[]> => {
      const times: number[] = [];
      for (let index = 0; index < scale.singles; index += 1) {
        times.push(await way(`${name}-${index}`));
        await delay(betweenMs);
      }
      return times;
    };
    for (let position = 0; position < warmUp; position += 1) await way(`warm-${position}`);
    const idle = nth(await ways('idle'), 0.95);
    await product.restart('sending', { DELIVERY_PAUSED: 'true' });
    await fill(product.url, product.token, scale.huge);
    await product.restart('sending', {});
    const busy = nth(await ways('busy'), 0.95);
    const left = await product.waiting();
    if (left === 0) throw new Error('the backlog was gone before the last single mail: it proves nothing');
    const name = `p95 ms of a single mail beside a backlog of ${scale.huge} (${left} left)`;
    rows.push({ name, product: busy, reference: idle, ceilingTimes: 3, ceiling: 3_000 });
    await agree(servers);
  } finally {
    await product.stop();
  }
}
