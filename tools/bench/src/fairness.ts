import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import { agree, nth, type Bench } from './bench.js';
import { fill } from './load.js';
import { watchedDomain } from './mail.js';
import { Product } from './product.js';

/** Single mails of one project, idle and beside the backlog of another: from the request to the mail server. */
export async function benchFairness(bench: Bench): Promise<void> {
  const { servers, scale, rows } = bench;
  await Product.during(servers, {}, async (product) => {
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
  });
}

const betweenMs = 50;
const warmUp = 5;

/** Single transactional mails of a project of their own: milliseconds from the request to the mail server. */
class SingleMails {
  private constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly sink: Bench['sink'],
  ) {}

  static async start({ servers, sink }: Bench, { url }: Product): Promise<SingleMails> {
    const { token } = await makeSendingProject(servers.natsUrl, 'single');
    const singles = new SingleMails(url, token, sink);
    for (let position = 0; position < warmUp; position += 1) await singles.one(`warm-${position}`);
    return singles;
  }

  async times(name: string, count: number): Promise<number[]> {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      times.push(await this.one(`${name}-${index}`));
      await delay(betweenMs);
    }
    return times;
  }

  private async one(name: string): Promise<number> {
    const to = `${name}${watchedDomain}`;
    const arrival = this.sink.arrival(to);
    const began = performance.now();
    const { status } = await fetch(`${this.url}/api/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, subject: 'One', body: '<p>One</p>' }),
    });
    if (status !== 202) throw new Error(`a single mail was answered ${status}`);
    await arrival;
    return performance.now() - began;
  }
}
