import { setTimeout as delay } from 'node:timers/promises';
import { GatewayCalls } from './gateway-calls.js';
import { knowledgeOf, type CallRecord, type Ledger, type SendRecord } from './judging/ledger.js';
import type { Load, Request } from './loads/load.js';
import { Random } from './random.js';
import type { Wanted } from './recipients.js';

/** Every key is answered in the end, or something holds it. */
const triesOfAKey = 240;
const pauseMs = 250;

/** Sends as an application would: with a key it repeats until it is answered, without one it takes the first answer. */
export class Clients {
  private readonly calls: GatewayCalls;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly gateways: string[],
    token: string,
    private readonly ledger: Ledger,
    private readonly options: { seed: number; load: Load },
  ) {
    this.calls = new GatewayCalls(gateways, token);
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

  /** Asks until it is answered: whoever takes something back does not give up. */
  readonly request: Request = async (method, path, body) => {
    for (let tries = 0; tries < triesOfAKey; tries += 1) {
      const received = await this.calls.request(
        tries % this.gateways.length,
        method,
        path,
        body ? JSON.stringify(body) : '',
      );
      if (!notYet.has(received.status))
        return { status: received.status!, body: received.body!, endedAt: received.endedAt };
      await delay(pauseMs);
    }
    throw new Error(`${method} ${path} was not answered in ${triesOfAKey} tries`);
  };

  async drained(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
    this.calls.close();
  }

  private get load(): Load {
    return this.options.load;
  }

  private async track(work: Promise<void>): Promise<void> {
    this.running.add(work);
    await work.finally(() => this.running.delete(work));
  }

  private async sendOne(wanted: Wanted): Promise<void> {
    const record = this.ledger.begin(wanted);
    await Promise.all([this.untilAnswered(record), wanted.twice ? this.untilAnswered(record) : null]);
    const knowledge = knowledgeOf(record);
    if (knowledge.kind === 'accepted') await this.load.afterwards(record, knowledge.ids[0]!, this.request);
  }

  private async untilAnswered(record: SendRecord): Promise<void> {
    for (let tries = 0; tries < (record.key ? triesOfAKey : 1); tries += 1) {
      if (tries > 0) await delay(pauseMs);
      const call = await this.call(record, this.gatewayFor(record, tries));
      this.ledger.received(record, call);
      if (call.status === 202) return;
    }
  }

  private gatewayFor({ index }: SendRecord, tries: number): number {
    return Random.named(`${this.options.seed} ${index} ${tries}`).whole(0, this.gateways.length - 1);
  }

  private async call(record: SendRecord, gateway: number): Promise<CallRecord> {
    const headers: Record<string, string> = record.key ? { 'idempotency-key': record.key } : {};
    const received = await this.calls.request(
      gateway,
      'POST',
      '/api/v1/emails',
      JSON.stringify(this.load.bodyOf(record)),
      headers,
    );
    return { place: record.index, gateway, ...received };
  }
}

const notYet = new Set([null, 429, 500, 503, 504]);
