import { jetstream, type ConsumerInfo, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { readTrusted, streamOf, type EventContract } from '@posthorn/contracts';
import { inSpan, runInContext, Tracing, maxTraces, type TracePoint } from '@posthorn/telemetry';
import type { BusConnection } from '../calls/connection.js';
import { ensureConsumer, findConsumer } from './event-stream.js';
import { readEvent, type WireEvent } from '../calls/frames.js';
import { Gatherer } from '../calls/gatherer.js';
import type { DomainEvent, EventOrigin } from '../calls/handlers.js';
import type { Inbox } from './inbox.repository.js';
import { Loop } from '../loop.js';
import type { MessagingMetrics } from '../messaging.metrics.js';
import { SoloTries } from './solo-tries.js';
import { tracesOf } from '../calls/traced-headers.js';

export interface EventSubscriptionOptions {
  connection: BusConnection;
  inbox: Inbox;
  contract: EventContract;
  durable: string;
  run: (event: DomainEvent<object>) => Promise<void>;
  /** The tests have less. */
  timeouts?: Timeouts;
  tracing?: Tracing;
  messagingMetrics?: MessagingMetrics;
}

// A handler that hangs must not hold the others: it loses its turn before JetStream gives the message away.
const handlerMs = 25_000;
const maxTogether = 64;
const maxWaiting = 256;
// The relay publishes by the handful: what it sent in one round shall be one transaction here. And each subscriber waits a
// moment of its own: all in the same instant, they hold up whoever answers requests (decision 0010).
const lingerMs = { least: 5, most: 125 };
const checkEveryMs = 2_000;

/** How long each thing may take: waits before each further try, JetStream's for an answer, ours for a handler. */
export interface Timeouts {
  redeliveryMs?: readonly number[];
  ackWaitMs?: number;
  handlerMs?: number;
}

/**
 * One durable subscriber: each event at least once, its effect once, and a dead letter after the last try. Events that wait
 * together are taken in together, in one transaction; when that fails, each is tried by itself.
 */
export class EventSubscription {
  private readonly log: Logger;
  private readonly loop: Loop;
  private readonly gatherer = new Gatherer<JsMsg, void>({
    flush: (messages) => this.takeTogether(messages),
    maxItems: maxTogether,
    inFlight: 1,
    lingerMs: lingerMs.least + Math.floor(Math.random() * (lingerMs.most - lingerMs.least)),
  });
  private readonly solo: SoloTries;
  private readonly tracing: Tracing;
  private messages: ConsumerMessages | null = null;
  private stopped = false;

  constructor(private readonly options: EventSubscriptionOptions) {
    this.log = new Logger(`Facts ${options.durable}`);
    this.tracing = options.tracing ?? new Tracing();
    this.solo = new SoloTries(options, (event, message) => this.apply([event], tracesOf(message)));
    this.loop = new Loop({
      everyMs: 1_000,
      work: () => this.consume(),
      onError: (error) => this.log.warn((error as Error).message),
    });
  }

  get durable(): string {
    return this.options.durable;
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.messages?.stop();
    await this.loop.stop();
    await this.gatherer.drained();
    await this.solo.drained();
  }

  /** Runs the effect on those that were not taken in before, within the time that a handler has. */
  apply(events: WireEvent[], traces: readonly TracePoint[] = []): Promise<void> {
    const { contract, durable } = this.options;
    const about = {
      kind: 'consumer',
      attributes: { 'posthorn.fact': contract.name, 'posthorn.batch.size': events.length },
    } as const;
    return runInContext(this.tracing.context(traces), () =>
      inSpan(`hear ${durable}`, about, () => this.takeIn(events)),
    );
  }

  private async takeIn(events: WireEvent[]): Promise<void> {
    const { inbox, durable, timeouts: waitMs, messagingMetrics } = this.options;
    await inbox.once(durable, events, async (fresh) => {
      // Inside the transaction: one that is too late is rolled back, and holds no rows of the others.
      await within(waitMs?.handlerMs ?? handlerMs, this.runByProject(fresh));
    });
    messagingMetrics?.received.inc({ subscriber: durable, outcome: 'taken' }, events.length);
  }

  private async consume(): Promise<void> {
    const { connection, contract, durable, timeouts: waitMs } = this.options;
    if (!connection.connected || this.stopped) return;
    const made = await ensureConsumer(connection.nats, contract, durable, waitMs?.ackWaitMs);
    const consumer = await jetstream(connection.nats).consumers.get(streamOf(contract.owner), durable);
    const messages = await consumer.consume({ max_messages: maxWaiting, abort_on_missing_resource: true });
    this.messages = messages;
    if (this.stopped) messages.stop();
    const watch = this.watch(made, messages);
    try {
      for await (const message of messages) {
        const taken = this.gatherer.submit(message);
        if (this.gatherer.size >= maxWaiting) await taken;
      }
    } finally {
      await watch.stop();
    }
  }

  /** A consumer vanishes with NATS's store, also while nobody waits for it: then the loop makes it again. */
  private watch(made: ConsumerInfo, messages: ConsumerMessages): Loop {
    const { connection, contract, durable } = this.options;
    const look = async () => {
      if (!connection.connected) return;
      const now = await findConsumer(connection.nats, contract.owner, durable);
      if (now) this.options.messagingMetrics?.pending.set(durable, now.num_pending);
      if (now?.created !== made.created) messages.stop();
    };
    const watch = new Loop({ everyMs: checkEveryMs, work: look, onError: () => undefined });
    watch.start();
    return watch;
  }

  private async takeTogether(messages: JsMsg[]): Promise<void[]> {
    const readable = messages.flatMap((message) => this.read(message));
    const first = readable.filter(({ message }) => message.info.deliveryCount === 1);
    const again = readable.filter(({ message }) => message.info.deliveryCount > 1);
    try {
      if (first.length > 0) {
        await this.apply(
          first.map(({ event }) => event),
          first.flatMap(({ message }) => tracesOf(message)).slice(0, maxTraces),
        );
      }
      for (const { message } of first) message.ack();
    } catch {
      // One of them is at fault: alone, it harms only itself.
      again.unshift(...first);
    }
    // Beside the others, not before them: one that hangs must not hold up what comes after it.
    for (const { message, event: published } of again)
      runInContext(this.tracing.context(tracesOf(message)), () => this.solo.take(message, published));
    return messages.map(() => undefined);
  }

  /** What is no event of ours can never be taken in, nor kept under an id. */
  private read(message: JsMsg): { message: JsMsg; event: WireEvent }[] {
    const event = readEvent(message.data);
    if (event) return [{ message, event }];
    this.log.error(`message ${message.seq} of ${message.subject} is no fact`);
    message.term();
    return [];
  }

  /** In the order of project ids, so that two replicas wait for one another and never both. */
  private async runByProject(events: WireEvent[]): Promise<void> {
    const { contract, run } = this.options;
    const byProject = [...Map.groupBy(events, ({ projectId }) => projectId)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    for (const [projectId, group] of byProject) {
      const items = group.flatMap((event) => event.items.map((item) => readTrusted(contract.item, item)));
      const origins = group.flatMap((event) => event.items.map(() => originOf(event)));
      await run({ projectId, items, origins });
    }
  }
}

const originOf = ({ fact: event, at, actor, address }: WireEvent): EventOrigin => ({
  event,
  at: new Date(at),
  actor,
  address,
});

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the handler took longer than ${milliseconds} ms`)),
      milliseconds,
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
