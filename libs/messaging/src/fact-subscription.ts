import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { readTrusted, type FactContract } from '@posthorn/contracts';
import type { BusConnection } from './connection.js';
import { ensureConsumer, maxDeliveries, redeliveryMs, streamOf } from './fact-stream.js';
import { decode } from './frames.js';
import { Gatherer } from './gatherer.js';
import type { Fact } from './handlers.js';
import type { Inbox } from './inbox.repository.js';
import { Loop } from './loop.js';
import type { Outbox } from './outbox.repository.js';

export interface FactSubscriptionOptions {
  connection: BusConnection;
  inbox: Inbox;
  /** Rung after every commit: the effect may have told facts of its own. */
  outbox: Outbox;
  contract: FactContract;
  durable: string;
  run: (fact: Fact<object>) => Promise<void>;
  /** Waits before each further try; the tests shorten them. */
  redelivery?: readonly number[];
}

interface WireFact {
  id: string;
  projectId: string;
  items: object[];
}

interface Taken {
  message: JsMsg;
  fact: WireFact;
}

// A handler that hangs must not hold the others: it loses its turn before JetStream gives the message away.
const handlerTimeoutMs = 25_000;
const maxTogether = 64;
const maxWaiting = 256;
// The relay publishes by the handful: what it sent in one round shall be one transaction here.
const lingerMs = 5;

/**
 * One durable subscriber: each fact at least once, its effect once, and a dead letter after the last try. Facts that wait
 * together are taken in together, in one transaction; when that fails, each is tried by itself.
 */
export class FactSubscription {
  private readonly log: Logger;
  private readonly loop: Loop;
  private readonly gatherer = new Gatherer<JsMsg, void>({
    flush: (messages) => this.takeTogether(messages),
    maxItems: maxTogether,
    inFlight: 1,
    lingerMs,
  });
  private readonly alone = new Set<Promise<void>>();
  private messages: ConsumerMessages | null = null;
  private stopped = false;

  constructor(private readonly options: FactSubscriptionOptions) {
    this.log = new Logger(`Facts ${options.durable}`);
    // The loop is the watchdog: a consumer that vanished with NATS's store is made again.
    this.loop = new Loop({ everyMs: 1_000, work: () => this.consume(), onError: (error) => this.log.warn((error as Error).message) });
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.messages?.stop();
    await this.loop.stop();
    await this.gatherer.drained();
    await Promise.all(this.alone);
  }

  private async consume(): Promise<void> {
    const { connection, contract, durable } = this.options;
    if (!connection.connected || this.stopped) return;
    await ensureConsumer(connection.nats, contract, durable);
    const consumer = await jetstream(connection.nats).consumers.get(streamOf(contract.owner), durable);
    this.messages = await consumer.consume({ max_messages: maxWaiting, abort_on_missing_resource: true });
    if (this.stopped) this.messages.stop();
    for await (const message of this.messages) {
      const taken = this.gatherer.submit(message);
      if (this.gatherer.size >= maxWaiting) await taken;
    }
  }

  private async takeTogether(messages: JsMsg[]): Promise<void[]> {
    const first = messages.filter(({ info }) => info.deliveryCount === 1);
    const again = messages.filter(({ info }) => info.deliveryCount > 1);
    try {
      if (first.length > 0) await this.apply(first.map(read));
      for (const message of first) message.ack();
    } catch {
      // One of them is at fault: alone, it harms only itself.
      again.unshift(...first);
    }
    // Beside the others, not before them: one that hangs must not hold up what comes after it.
    for (const message of again) this.track(this.takeAlone(message));
    return messages.map(() => undefined);
  }

  private track(work: Promise<void>): void {
    this.alone.add(work);
    void work.finally(() => this.alone.delete(work));
  }

  private async takeAlone(message: JsMsg): Promise<void> {
    const tries = message.info.deliveryCount;
    try {
      // A message that killed the process before it could be counted out is not tried once more.
      if (tries > maxDeliveries) await this.bury(message, 'gave up: its handler never finished');
      else await this.apply([read(message)]);
      message.ack();
    } catch (error) {
      this.log.warn(`try ${tries}: ${(error as Error).message}`);
      if (tries >= maxDeliveries) await this.buryAndEnd(message, error);
      else message.nak(this.waitAfter(tries));
    }
  }

  private waitAfter(tries: number): number {
    const waits = this.options.redelivery ?? redeliveryMs;
    return waits[Math.min(tries, waits.length) - 1]!;
  }

  private async apply(taken: Taken[]): Promise<void> {
    const { inbox, outbox, durable } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the handler took longer than ${handlerTimeoutMs} ms`)), handlerTimeoutMs);
    });
    try {
      const facts = taken.map(({ fact }) => fact);
      await Promise.race([inbox.once(durable, facts, (fresh) => this.runByProject(fresh)), late]);
      outbox.ringIfTold();
    } finally {
      clearTimeout(timer);
    }
  }

  /** In the order of project ids, so that two replicas wait for one another and never both. */
  private async runByProject(facts: WireFact[]): Promise<void> {
    const { contract, run } = this.options;
    const byProject = [...Map.groupBy(facts, ({ projectId }) => projectId)].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [projectId, group] of byProject) {
      const items = group.flatMap((fact) => fact.items.map((item) => readTrusted(contract.item, item)));
      await run({ projectId, items });
    }
  }

  private async buryAndEnd(message: JsMsg, error: unknown): Promise<void> {
    try {
      await this.bury(message, (error as Error).message);
      message.term();
    } catch (failure) {
      this.log.error(`dead letter not stored, tried again later: ${(failure as Error).message}`);
    }
  }

  private bury(message: JsMsg, error: string): Promise<void> {
    const { fact: payload } = read(message);
    return this.options.inbox.bury({
      subscriber: this.options.durable,
      factId: payload.id,
      fact: this.options.contract.name,
      payload,
      error,
    });
  }
}

const read = (message: JsMsg): Taken => ({ message, fact: decode<WireFact>(message.data) });
