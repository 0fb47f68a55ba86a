import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallRecord, Ledger, SendRecord } from './ledger.js';
import type { Random } from './random.js';
import type { Wanted } from './recipients.js';

const patienceMs = 15_000;
const triesOfAKey = 60;
const pauseMs = 250;

/** Sends as an application would: with a key it repeats until it is answered, without one it takes the first answer. */
export class Clients {
  private readonly agents: Agent[];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly gateways: string[],
    private readonly token: string,
    private readonly ledger: Ledger,
    private readonly random: Random,
  ) {
    this.agents = gateways.map(() => new Agent({ keepAlive: true, maxSockets: 32 }));
  }

  /** Sends all of them, at most so many at once, each with a pause after it. */
  async send(batch: Wanted[], { atOnce, restMs }: { atOnce: number; restMs: number }): Promise<void> {
    const rest = [...batch];
    const worker = async () => {
      for (let next = rest.shift(); next; next = rest.shift()) {
        await this.track(this.sendOne(next));
        if (restMs > 0) await delay(restMs);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  async drained(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    for (const agent of this.agents) agent.destroy();
  }

  private async track(work: Promise<void>): Promise<void> {
    this.running.add(work);
    await work.finally(() => this.running.delete(work));
  }

  private async sendOne(wanted: Wanted): Promise<void> {
    const record = this.ledger.begin(wanted);
    await Promise.all([this.untilAnswered(record), wanted.twice ? this.untilAnswered(record) : null]);
  }

  private async untilAnswered(record: SendRecord): Promise<void> {
    for (let tries = 0; tries < (record.key ? triesOfAKey : 1); tries += 1) {
      if (tries > 0) await delay(pauseMs);
      const call = await this.call(record, this.random.whole(0, this.gateways.length - 1));
      this.ledger.heard(record, call);
      if (call.status === 202) return;
    }
  }

  private call({ place, to, key }: SendRecord, gateway: number): Promise<CallRecord> {
    const beganAt = performance.now();
    const body = JSON.stringify({ to, subject: `number ${place}`, body: `<p>Message ${place}</p>` });
    const end = (status: number | null, error: string | null, answer: string | null): CallRecord => ({
      place,
      gateway,
      beganAt,
      endedAt: performance.now(),
      status,
      error,
      body: answer,
    });
    return new Promise((resolve) => {
      const asked = request(`${this.gateways[gateway]}/api/v1/emails`, {
        method: 'POST',
        agent: this.agents[gateway],
        timeout: patienceMs,
        headers: {
          authorization: `Bearer ${this.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...(key ? { 'idempotency-key': key } : {}),
        },
      });
      asked.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(end(response.statusCode!, null, text)));
        response.on('error', (error: NodeJS.ErrnoException) => resolve(end(null, error.code ?? error.message, null)));
      });
      asked.on('timeout', () => asked.destroy(new Error('no answer')));
      asked.on('error', (error: NodeJS.ErrnoException) => resolve(end(null, error.code ?? error.message, null)));
      asked.end(body);
    });
  }
}
