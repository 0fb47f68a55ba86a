import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { agree, type Bench } from '../bench.js';
import { Product } from '../product.js';
import { watchMost } from '../resident.js';
import { makeProject } from './project.js';

const megabytes = 10;
const inDelivery = 100;
const atOnce = 16;
const restMs = 3_000;

/** Mail with files of ten megabytes: what the processes grow by while it is accepted, sixteen at once, and while it goes out. */
export async function benchLarge({ servers, rows }: Bench): Promise<void> {
  const product = await Product.start(servers, { DELIVERY_PAUSED: 'true' });
  try {
    const { token } = await makeProject(servers);
    await send(product, token, 0);
    await delay(restMs);
    const accepting = watchMost(() => product.megabytesOf('gateway') + product.megabytesOf('sending'));
    let next = 1;
    const worker = async () => {
      while (next < inDelivery) await send(product, token, next++);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    rows.push({
      name: `growth of gateway and sending while ${atOnce} mails of ${megabytes} MB are accepted at once, MB`,
      product: accepting.stop().growth,
      ceiling: 150,
    });
    await product.restart('sending', {});
    await delay(200);
    const delivering = watchMost(() => product.megabytesOf('sending'));
    await product.drained();
    rows.push({
      name: `growth of sending while ${inDelivery} mails of ${megabytes} MB go out, MB`,
      product: delivering.stop().growth,
      ceiling: 150,
    });
    await agree(servers);
  } finally {
    await product.stop();
  }
}

const content = randomBytes(megabytes * 1_000_000).toString('base64');

async function send(product: Product, token: string, index: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`${product.url}/api/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ to: `large-${index}@bench.test`, subject: 'Large', body: '<p>Large</p>' },
        attachments: [{ filename: 'large.bin', content }],
      }),
    });
    const text = await answer.text();
    if (answer.status === 202) return;
    if (answer.status !== 503 && answer.status !== 429) throw new Error(`${answer.status} ${text}`);
    await delay(200);
  }
}
