import { get, Agent, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { emailEvents, eventSubject, type EmailChangedEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { BusConnection } from '@posthorn/messaging';
import { makeSendingProject } from '@posthorn/testing';
import type { Bench } from './bench.js';
import { benchLimit, Product } from './product.js';

const readers = 1_000;
const perSecond = 200;
/** The others only take their bytes: whoever reads everything would measure itself. */
const timed = 10;
const openAtOnce = 50;
const settleMs = 3_000;
const tickMs = 50;

/** What a thousand readers of the live stream of one project cost its gateway, and how late its events reach them. */
export async function benchStreams({ servers, scale, rows }: Bench): Promise<void> {
  const limits = { STREAM_CONNECTIONS: '2000', STREAM_CONNECTIONS_PER_PROJECT: '2000' };
  await Product.during(servers, limits, async (product) => {
    const { projectId, token } = await makeSendingProject(servers.natsUrl, 'streams', benchLimit);
    const crowd = new Crowd(`${product.url}/api/v1/stream?types=email.sent`, token);
    await crowd.open(1);
    await delay(settleMs);
    const before = product.megabytesOf('gateway');
    await crowd.open(readers - 1);
    await delay(settleMs);
    const open = product.megabytesOf('gateway') - before;
    const sent = await publish(servers.natsUrl, projectId, scale.seconds);
    await delay(settleMs);
    const busy = product.megabytesOf('gateway') - before;
    crowd.close();
    const late = crowd.lateMs.toSorted((a, b) => a - b);
    console.log(
      `streams: ${sent} events, ${late.length} of ${sent * timed} timed, ${crowd.ended} readers ended, median ${late[late.length >> 1]} ms`,
    );
    rows.push(
      { name: `memory of ${readers} live streams, MB`, product: open, ceiling: 100 },
      { name: `the same after ${perSecond} events/s to each, MB`, product: busy, ceiling: 100 },
      {
        name: `an event at ${perSecond}/s to ${readers} readers, p95 ms`,
        product: late[Math.floor(late.length * 0.95)] ?? Infinity,
        ceiling: 500,
      },
      { name: 'events that a timed reader missed', product: sent * timed - late.length, ceiling: 0 },
    );
  });
}

class Crowd {
  readonly lateMs: number[] = [];
  ended = 0;
  private readonly agent = new Agent({ maxSockets: Infinity });
  private readonly responses: IncomingMessage[] = [];

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async open(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += openAtOnce) {
      const some = Math.min(openAtOnce, count - opened);
      await Promise.all(Array.from({ length: some }, () => this.openOne()));
    }
  }

  close(): void {
    this.ended = this.responses.filter(({ complete }) => complete).length;
    for (const response of this.responses) response.destroy();
  }

  private async openOne(): Promise<void> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.token}` };
      get(this.url, { agent: this.agent, headers }, resolve).on('error', reject);
    });
    if (response.statusCode !== 200) throw new Error(`a stream is answered ${response.statusCode}`);
    this.responses.push(response);
    response.on('error', () => undefined);
    if (this.responses.length > timed) response.resume();
    else this.time(response);
  }

  private time(response: IncomingMessage): void {
    let rest = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      const now = Date.now();
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, at] = /"created_at":"([^"]+)"/.exec(block) ?? [];
        if (at) this.lateMs.push(now - Date.parse(at));
      }
    });
  }
}

/** As the relay publishes events, one item each; returns how many. */
async function publish(url: string, projectId: string, seconds: number): Promise<number> {
  const connection = await BusConnection.open({ url, name: 'bench-streams' });
  const subject = eventSubject(emailEvents.sent.name);
  const began = performance.now();
  const total = seconds * perSecond;
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * perSecond));
    for (; sent < due; sent += 1) {
      const event = { id: newId(), name: emailEvents.sent.name, version: 1, projectId, at: new Date() };
      connection.nats.publish(subject, JSON.stringify({ ...event, items: [mail()] }));
    }
    await delay(tickMs);
  }
  await connection.nats.flush();
  await connection.close();
  return sent;
}

const mail = (): EmailChangedEvent => ({
  emailId: newId(),
  to: 'ada@example.org',
  at: new Date(),
  sourceType: 'CAMPAIGN',
  subject: 'What is new in spring',
  from: 'news@shop.example',
  fromName: 'Shop',
  providerMessageId: newId(),
  contactId: newId(),
  templateId: null,
  campaignId: newId(),
  metadata: {},
});
