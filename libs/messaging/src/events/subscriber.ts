import type { JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { validateInPlace, type EventContract } from '@posthorn/contracts';
import { inSpan, runInContext, Tracing, type TracePoint } from '@posthorn/telemetry';
import type { WireEvent } from '../calls/frames.js';
import type { Concerns, DomainEvent, EventOrigin, InterestOf } from '../calls/handlers.js';
import { tracesOf } from '../calls/traced-headers.js';
import type { MessagingMetrics } from '../messaging.metrics.js';
import { takeParts, type Interests, type Interest } from './event-parts.js';
import type { Inbox } from './inbox.repository.js';

// Less than the acknowledgement timeout of JetStream: a handler that hangs must not block the others.
export const handlerMs = 25_000;
const redeliveryMs = [1_000, 10_000, 60_000, 600_000];
const maxTries = 5;

export interface Timeouts {
  redeliveryMs?: readonly number[];
  ackWaitMs?: number;
  handlerMs?: number;
}

export interface SubscriberParts {
  inbox: Inbox;
  interests?: Interests;
  timeouts?: Timeouts;
  tracing?: Tracing;
  messagingMetrics?: MessagingMetrics;
}

export interface SubscriberOptions extends SubscriberParts {
  /** In the inbox and in dead letters, such as `analytics-counts-sending-email-sent`. */
  name: string;
  contract: EventContract;
  concerns?: Concerns;
  interestOf?: InterestOf;
  run: (event: DomainEvent<object>) => Promise<void>;
}

/** Milliseconds until an event is to be tried again; null once it is handled or given up. */
type RetryMs = number | null;

/**
 * What one subscriber does with events of one kind. Attempts by itself are counted in Postgres before they begin, not by
 * JetStream: an event that could not be tried, because the database was away or a neighbour killed the process, loses none.
 */
export class Subscriber {
  private readonly log: Logger;
  private readonly tracing: Tracing;
  private lastSuspect: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: SubscriberOptions) {
    this.log = new Logger(`Events ${options.name}`);
    this.tracing = options.tracing ?? new Tracing();
  }

  get name(): string {
    return this.options.name;
  }

  get event(): string {
    return this.options.contract.name;
  }

  /** Without a row in the inbox for the others: a repetition is passed over for the same reason. */
  concerns(event: WireEvent): boolean {
    const { contract, concerns } = this.options;
    if (event.name !== contract.name) return false;
    return concerns ? event.items.some((item) => concerns(item, event)) : true;
  }

  /** Null for what matters in any case. */
  interestsOf({ projectId, name, items }: WireEvent): Interest[] | null {
    const { interestOf } = this.options;
    if (!interestOf) return null;
    return [...new Set(items.map((item) => interestOf(item, name)))].map((key) => ({ projectId, key }));
  }

  /** In a transaction of their own. */
  apply(events: WireEvent[], traces: readonly TracePoint[] = []): Promise<void> {
    const { inbox, interests, timeouts, messagingMetrics } = this.options;
    const relevant = events.filter((event) => this.concerns(event));
    const parts = relevant.length > 0 ? [{ subscriber: this, events: relevant }] : [];
    return runInContext(this.tracing.context(traces), async () => {
      await takeParts(parts, { inbox, interests, limitMs: timeouts?.handlerMs ?? handlerMs });
      messagingMetrics?.received.inc({ subscriber: this.name, outcome: 'taken' }, events.length);
    });
  }

  /** Within the transaction of their inbox rows. In the order of project ids, so that two replicas do not deadlock. */
  handle(events: WireEvent[]): Promise<void> {
    const { contract, run } = this.options;
    const about = {
      kind: 'consumer',
      attributes: { 'posthorn.event': contract.name, 'posthorn.batch.size': events.length },
    } as const;
    return inSpan(`receive ${this.name}`, about, async () => {
      const byProject = [...Map.groupBy(events, ({ projectId }) => projectId)].sort(([a], [b]) =>
        a < b ? -1 : 1,
      );
      for (const [projectId, group] of byProject) {
        const items = group.flatMap((event) =>
          event.items.map((item) => validateInPlace(contract.item, item)),
        );
        const origins = group.flatMap((event) => event.items.map((_, position) => originOf(event, position)));
        await run({ projectId, items, origins });
      }
    });
  }

  async tryAlone(event: WireEvent, message: JsMsg): Promise<RetryMs> {
    const { running } = await this.options.inbox.triesOf(this.name, event.id);
    if (!running) return this.try(event, message);
    // An event whose last attempt never ended may have killed the process: such events run one by one.
    const turn = this.lastSuspect.then(() => this.try(event, message));
    this.lastSuspect = turn.catch(() => undefined);
    return turn;
  }

  private async try(event: WireEvent, message: JsMsg): Promise<RetryMs> {
    const { inbox, messagingMetrics } = this.options;
    const { tries } = await inbox.triesOf(this.name, event.id);
    if (tries >= maxTries) return this.giveUp(event, 'its handler never finished');
    await inbox.beginTry(this.name, event.id);
    try {
      await this.apply([event], tracesOf(message));
      return null;
    } catch (error) {
      messagingMetrics?.received.inc({ subscriber: this.name, outcome: 'failed' });
      this.log.warn(`event ${event.id}, attempt ${tries + 1}: ${(error as Error).message}`);
      await inbox.endTry(this.name, event.id);
      if (tries + 1 >= maxTries) return this.giveUp(event, (error as Error).message);
      const waits = this.options.timeouts?.redeliveryMs ?? redeliveryMs;
      return waits[Math.min(tries + 1, waits.length) - 1]!;
    }
  }

  private async giveUp(event: WireEvent, error: string): Promise<null> {
    const { inbox, messagingMetrics } = this.options;
    const letter = { subscriber: this.name, eventId: event.id, event: this.event, payload: event, error };
    await inbox.storeDeadLetter(letter);
    messagingMetrics?.received.inc({ subscriber: this.name, outcome: 'dead_letter' });
    return null;
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
