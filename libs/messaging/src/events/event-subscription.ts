import { jetstream, type ConsumerInfo, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { validateInPlace, streamOf, type EventContract } from '@posthorn/contracts';
import { inSpan, runInContext, Tracing, maxTraces, type TracePoint } from '@posthorn/telemetry';
import type { BusConnection } from '../calls/connection.js';
import { ConsumerWatch } from './consumer-watch.js';
import { ensureConsumer } from './event-stream.js';
import { readEvent, type WireEvent } from '../calls/frames.js';
import { Gatherer } from '../calls/gatherer.js';
import type { Concerns, DomainEvent, EventOrigin } from '../calls/handlers.js';
import type { Inbox } from './inbox.repository.js';
import { Loop } from '../loop.js';
import type { MessagingMetrics } from '../messaging.metrics.js';
import { SoloTries, type Timeouts } from './solo-tries.js';
import { tracesOf } from '../calls/traced-headers.js';

export interface EventSubscriptionOptions {
  connection: BusConnection;
  inbox: Inbox;
  consumers?: ConsumerWatch;
  contract: EventContract;
  durable: string;
  concerns?: Concerns;
  run: (event: DomainEvent<object>) => Promise<void>;
  timeouts?: Timeouts;
  tracing?: Tracing;
  messagingMetrics?: MessagingMetrics;
}

// Less than the acknowledgement timeout of JetStream: a handler that hangs must not block the others.
const handlerMs = 25_000;
const maxTogether = 64;
const maxWaiting = 256;
// What the relay sent in one round shares a transaction. Delays differ to spare requests (decision 0010).
const lingerMs = { least: 5, most: 125 };

/** At least once, effects exactly once. When a shared transaction fails, each event is handled by itself. */
export class EventSubscription {
  private readonly log: Logger;
  private readonly loop: Loop;
  private readonly gatherer = new Gatherer<JsMsg, void>({
    flush: (messages) => this.handleTogether(messages),
    maxItems: maxTogether,
    inFlight: 1,
    lingerMs: lingerMs.least + Math.floor(Math.random() * (lingerMs.most - lingerMs.least)),
  });
  private readonly solo: SoloTries;
  private readonly consumers: ConsumerWatch;
  private readonly tracing: Tracing;
  private messages: ConsumerMessages | null = null;
  private stopped = false;

  constructor(private readonly options: EventSubscriptionOptions) {
    this.log = new Logger(`Events ${options.durable}`);
    this.tracing = options.tracing ?? new Tracing();
    this.consumers = options.consumers ?? new ConsumerWatch(options.connection);
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

  apply(events: WireEvent[], traces: readonly TracePoint[] = []): Promise<void> {
    const { contract, durable } = this.options;
    const about = {
      kind: 'consumer',
      attributes: { 'posthorn.event': contract.name, 'posthorn.batch.size': events.length },
    } as const;
    return runInContext(this.tracing.context(traces), () =>
      inSpan(`receive ${durable}`, about, () => this.handleOnce(events)),
    );
  }

  private async handleOnce(events: WireEvent[]): Promise<void> {
    const { inbox, durable, timeouts, messagingMetrics, concerns } = this.options;
    const limitMs = timeouts?.handlerMs ?? handlerMs;
    // Without a row in the inbox: a repetition is passed over for the same reason.
    const relevant = concerns ? events.filter(({ items }) => items.some(concerns)) : events;
    if (relevant.length > 0)
      await inbox.once(durable, relevant, (fresh) => this.runByProject(fresh), limitMs);
    messagingMetrics?.received.inc({ subscriber: durable, outcome: 'taken' }, events.length);
  }

  private async consume(): Promise<void> {
    const { connection, contract, durable, timeouts } = this.options;
    if (!connection.connected || this.stopped) return;
    const made = await ensureConsumer(connection.nats, contract, durable, timeouts?.ackWaitMs);
    const consumer = await jetstream(connection.nats).consumers.get(streamOf(contract.owner), durable);
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
    const { contract, durable, messagingMetrics } = this.options;
    const onCheck = (now: ConsumerInfo | null) => {
      if (now) messagingMetrics?.pending.set(durable, now.num_pending);
      if (now?.created !== made.created) messages.stop();
    };
    return this.consumers.watch({ owner: contract.owner, durable, onCheck });
  }

  private async handleTogether(messages: JsMsg[]): Promise<void[]> {
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
      again.unshift(...first);
    }
    // Concurrently, so that an event that hangs does not delay those that follow.
    for (const { message, event: published } of again)
      runInContext(this.tracing.context(tracesOf(message)), () => this.solo.take(message, published));
    return messages.map(() => undefined);
  }

  /** A message that is no event of ours can never be handled, and has no id for a dead letter. */
  private read(message: JsMsg): { message: JsMsg; event: WireEvent }[] {
    const event = readEvent(message.data);
    if (event) return [{ message, event }];
    this.log.error(`message ${message.seq} of ${message.subject} is no event`);
    message.term();
    return [];
  }

  /** In the order of project ids, so that two replicas do not deadlock. */
  private async runByProject(events: WireEvent[]): Promise<void> {
    const { contract, run } = this.options;
    const byProject = [...Map.groupBy(events, ({ projectId }) => projectId)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    for (const [projectId, group] of byProject) {
      const items = group.flatMap((event) => event.items.map((item) => validateInPlace(contract.item, item)));
      const origins = group.flatMap((event) => event.items.map((_, position) => originOf(event, position)));
      await run({ projectId, items, origins });
    }
  }
}

const originOf = ({ id, name: event, at, actor, ipAddress }: WireEvent, position: number): EventOrigin => ({
  event,
  eventId: id,
  position,
  at: new Date(at),
  actor,
  ipAddress,
});
