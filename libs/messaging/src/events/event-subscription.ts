import { jetstream, type ConsumerInfo, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { eventSubject, streamOf, type ServiceName } from '@posthorn/contracts';
import { inSpan, runInContext, Tracing, maxTraces } from '@posthorn/telemetry';
import type { BusConnection } from '../calls/connection.js';
import { readEvent, type WireEvent } from '../calls/frames.js';
import { Gatherer } from '../calls/gatherer.js';
import { tracesOf } from '../calls/traced-headers.js';
import { Loop } from '../loop.js';
import { ConsumerWatch } from './consumer-watch.js';
import { takeParts } from './event-parts.js';
import { ensureConsumer } from './event-stream.js';
import { handlerMs, type Subscriber, type SubscriberParts } from './subscriber.js';

export interface EventSubscriptionOptions extends SubscriberParts {
  connection: BusConnection;
  consumers?: ConsumerWatch;
  owner: ServiceName;
  /** The durable consumer: one for each service and stream (docs/decisions/0042-one-consumer.md). */
  durable: string;
  subscribers: readonly Subscriber[];
}

interface Received {
  message: JsMsg;
  event: WireEvent;
  concerned: Subscriber[];
}

const maxTogether = 128;
const maxWaiting = 256;
// What the relay sent in one round shares a transaction. While large rounds follow each other, services take them at
// different times, so that all of them together do not keep requests from the processor (decision 0010).
const lingerMs = { usual: 5, most: 125 };
const busy = { messages: 8, ms: 500 };

/** At least once, effects exactly once. What a batch concerns is one transaction; when that fails, each subscriber takes its part by itself. */
export class EventSubscription {
  private readonly log: Logger;
  private readonly loop: Loop;
  private readonly busyLingerMs =
    lingerMs.usual + Math.floor(Math.random() * (lingerMs.most - lingerMs.usual));
  private largeBatchAt = -Infinity;
  private readonly gatherer = new Gatherer<JsMsg, void>({
    flush: (messages) => this.handleTogether(messages),
    maxItems: maxTogether,
    inFlight: 1,
    lingerMs: () => (performance.now() - this.largeBatchAt < busy.ms ? this.busyLingerMs : lingerMs.usual),
  });
  private readonly subjects: ReadonlySet<string>;
  private readonly alone = new Set<Promise<void>>();
  private readonly consumers: ConsumerWatch;
  private readonly tracing: Tracing;
  private messages: ConsumerMessages | null = null;
  private stopped = false;

  constructor(private readonly options: EventSubscriptionOptions) {
    this.log = new Logger(`Events ${options.owner} ${options.durable}`);
    this.tracing = options.tracing ?? new Tracing();
    this.subjects = new Set(options.subscribers.map(({ event }) => eventSubject(event)));
    this.consumers = options.consumers ?? new ConsumerWatch(options.connection);
    this.loop = new Loop({
      everyMs: 1_000,
      work: () => this.consume(),
      onError: (error) => this.log.warn((error as Error).message),
    });
  }

  get subscribers(): readonly Subscriber[] {
    return this.options.subscribers;
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
    const { connection, owner, durable, timeouts } = this.options;
    if (!connection.connected || this.stopped) return;
    const made = await ensureConsumer(connection, owner, durable, timeouts?.ackWaitMs);
    if (this.stopped) return;
    const consumer = await jetstream(connection.nats).consumers.get(streamOf(owner), durable);
    if (this.stopped) return;
    const messages = await consumer.consume({ max_messages: maxWaiting, abort_on_missing_resource: true });
    this.messages = messages;
    if (this.stopped) messages.stop();
    const endWatch = this.watch(made, messages);
    try {
      for await (const message of messages) {
        const taken = this.gatherer.submit(message);
        if (this.gatherer.size >= maxWaiting) await taken;
      }
    } finally {
      await endWatch();
    }
  }

  /** A consumer can vanish with the store of NATS, also while it is idle; then the loop creates it again. */
  private watch(made: ConsumerInfo, messages: ConsumerMessages): () => Promise<void> {
    const { owner, durable, messagingMetrics } = this.options;
    const onCheck = (now: ConsumerInfo | null) => {
      if (now) messagingMetrics?.pending.set(`${durable} of ${owner}`, now.num_pending);
      if (now?.created !== made.created) messages.stop();
    };
    return this.consumers.watch({ owner, durable, onCheck });
  }

  private async handleTogether(messages: JsMsg[]): Promise<void[]> {
    const received = messages.flatMap((message) => this.read(message));
    const first = received.filter(({ message }) => message.info.deliveryCount === 1);
    const failed = first.length > 0 ? await this.applyTogether(first) : new Set<Subscriber>();
    if (messages.length >= busy.messages) this.largeBatchAt = performance.now();
    for (const one of received) {
      const left =
        one.message.info.deliveryCount > 1 ? one.concerned : one.concerned.filter((each) => failed.has(each));
      if (left.length === 0) one.message.ack();
      else this.takeAlone(one, left);
    }
    return messages.map(() => undefined);
  }

  /** The subscribers that did not take their part. */
  private async applyTogether(received: readonly Received[]): Promise<Set<Subscriber>> {
    const parts = this.partsOf(received);
    const traces = received.flatMap(({ message }) => tracesOf(message)).slice(0, maxTraces);
    const limitMs = this.options.timeouts?.handlerMs ?? handlerMs;
    const began = performance.now();
    try {
      await runInContext(this.tracing.context(traces), () => this.inOneTransaction(parts, limitMs));
      return new Set();
    } catch {
      // One that hangs would take as long again, and the acknowledgement is awaited.
      const isSlow = performance.now() - began > limitMs / 4;
      if (isSlow || parts.size === 1) return new Set(parts.keys());
      const failed = new Set<Subscriber>();
      for (const [subscriber, events] of parts)
        await subscriber.apply(events, traces).catch(() => failed.add(subscriber));
      return failed;
    }
  }

  private partsOf(received: readonly Received[]): Map<Subscriber, WireEvent[]> {
    const parts = new Map<Subscriber, WireEvent[]>();
    for (const subscriber of this.subscribers) {
      const events = received.flatMap(({ event, concerned }) =>
        concerned.includes(subscriber) ? [event] : [],
      );
      if (events.length > 0) parts.set(subscriber, events);
    }
    return parts;
  }

  private async inOneTransaction(parts: Map<Subscriber, WireEvent[]>, limitMs: number): Promise<void> {
    const { inbox, interests, messagingMetrics, owner, durable } = this.options;
    if (parts.size === 0) return;
    const groups = [...parts].map(([subscriber, events]) => ({ subscriber, events }));
    await inSpan(`receive ${owner} ${durable}`, { kind: 'consumer' }, () =>
      takeParts(groups, { inbox, interests, limitMs }),
    );
    for (const [{ name }, events] of parts)
      messagingMetrics?.received.inc({ subscriber: name, outcome: 'taken' }, events.length);
  }

  /** Not awaited, so that an event that hangs does not delay those that follow. */
  private takeAlone({ message, event }: Received, subscribers: readonly Subscriber[]): void {
    const context = this.tracing.context(tracesOf(message));
    const work = runInContext(context, () => this.tryEach(message, event, subscribers)).catch(
      (error: Error) => this.log.warn(`not attempted, will be redelivered: ${error.message}`),
    );
    this.alone.add(work);
    void work.finally(() => this.alone.delete(work));
  }

  private async tryEach(message: JsMsg, event: WireEvent, subscribers: readonly Subscriber[]): Promise<void> {
    const tried = await Promise.allSettled(subscribers.map((each) => each.tryAlone(event, message)));
    const unable = tried.find((each) => each.status === 'rejected');
    if (unable) throw unable.reason;
    const waits = tried.map((each) => (each as PromiseFulfilledResult<number | null>).value);
    const again = waits.filter((wait) => wait !== null);
    if (again.length > 0) message.nak(Math.min(...again));
    else message.ack();
  }

  /** A message that is no event of ours can never be handled, and has no id for a dead letter. */
  private read(message: JsMsg): Received[] {
    if (!this.subjects.has(message.subject)) {
      message.ack();
      return [];
    }
    const event = readEvent(message.data);
    if (event)
      return [{ message, event, concerned: this.subscribers.filter((each) => each.concerns(event)) }];
    this.log.error(`message ${message.seq} of ${message.subject} is no event`);
    message.term();
    return [];
  }
}
