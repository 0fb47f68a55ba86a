import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { fieldsOf, parse, type FactContract } from '@posthorn/contracts';
import type { BusConnection } from './connection.js';
import { ensureConsumer, maxDeliveries, redeliveryMs, streamOf } from './fact-stream.js';
import { decode } from './frames.js';
import type { Fact } from './handlers.js';
import type { Inbox } from './inbox.repository.js';
import { Loop } from './loop.js';

export interface FactSubscriptionOptions {
  connection: BusConnection;
  inbox: Inbox;
  contract: FactContract;
  durable: string;
  run: (fact: Fact<object>) => Promise<void>;
}

interface WireFact {
  id: string;
  projectId: string;
  at: string;
  items: object[];
}

// A handler that hangs must not hold the others: it loses its turn before JetStream gives the message away.
const handlerTimeoutMs = 25_000;
const concurrency = 4;

/** One durable subscriber: each fact at least once, its effect once, and a dead letter after the last try. */
export class FactSubscription {
  private readonly log: Logger;
  private readonly loop: Loop;
  private messages: ConsumerMessages | null = null;
  private readonly running = new Set<Promise<void>>();
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
    await Promise.all(this.running);
  }

  private async consume(): Promise<void> {
    const { connection, contract, durable } = this.options;
    if (!connection.connected || this.stopped) return;
    await ensureConsumer(connection.nats, contract, durable);
    const consumer = await jetstream(connection.nats).consumers.get(streamOf(contract.owner), durable);
    this.messages = await consumer.consume({ max_messages: 32, abort_on_missing_resource: true });
    if (this.stopped) this.messages.stop();
    for await (const message of this.messages) {
      this.track(this.take(message));
      if (this.running.size >= concurrency) await Promise.race(this.running);
    }
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  private async take(message: JsMsg): Promise<void> {
    const tries = message.info.deliveryCount;
    try {
      // A message that killed the process before it could be counted out is not tried once more.
      if (tries > maxDeliveries) await this.bury(message, 'gave up: its handler never finished');
      else await this.apply(message);
      message.ack();
    } catch (error) {
      this.log.warn(`try ${tries}: ${(error as Error).message}`);
      if (tries >= maxDeliveries) await this.buryAndEnd(message, error);
      else message.nak(redeliveryMs[Math.min(tries, redeliveryMs.length) - 1]);
    }
  }

  private async apply(message: JsMsg): Promise<void> {
    const { inbox, durable, contract, run } = this.options;
    const { id, projectId, at, items } = decode<WireFact>(message.data);
    const fact: Fact<object> = { id, projectId, at: new Date(at), items: items.map((item) => parse(contract.item, known(contract, item))) };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the handler took longer than ${handlerTimeoutMs} ms`)), handlerTimeoutMs);
    });
    try {
      await Promise.race([inbox.once(durable, id, () => run(fact)), late]);
    } finally {
      clearTimeout(timer);
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
    const payload = decode<WireFact>(message.data);
    return this.options.inbox.bury({
      subscriber: this.options.durable,
      factId: payload.id,
      fact: this.options.contract.name,
      payload,
      error,
    });
  }
}

/** Facts change only by adding: members that this release does not know are no failure. */
function known(contract: FactContract, item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name in fieldsOf(contract.item)));
}
