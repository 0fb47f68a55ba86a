import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import type { Bench } from './bench.js';
import { watchedDomain } from './mail.js';
import type { Product } from './product.js';

const betweenMs = 50;
const warmUp = 5;

/** Single transactional mails of a project of their own: milliseconds from the request to the mail server. */
export class SingleMails {
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
