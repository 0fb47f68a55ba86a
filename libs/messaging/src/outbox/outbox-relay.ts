import {
  jetstream,
  type JetStreamClient,
  type PubAck,
  JetStreamApiError,
  type StreamInfo,
} from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { eventCatalogue, eventSubject, type ServiceName } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { inSpan, readTraces, runInContext, Tracing } from '@posthorn/telemetry';
import { errors } from '@nats-io/transport-node';
import type { BusConnection } from '../calls/connection.js';
import { adjustStream, ensureStream, identityOf } from '../events/event-stream.js';
import { streamDays } from '../events/stream-settings.js';
import { encode, type WireEvent } from '../calls/frames.js';
import { Loop } from '../loop.js';
import type { MessagingMetrics } from '../messaging.metrics.js';
import { tracedHeaders } from '../calls/traced-headers.js';
import {
  StreamRewound,
  type OutgoingEvent,
  type SendResult,
  type KnownStream,
  type OutboxRelayRepository,
  type SeenStream,
  type SendFailure,
} from './outbox-relay.repository.js';

const batch = 256;
/**
 * While rounds find several events, the rests between them grow: a batch of a hundred costs as much as one, and each
 * is a transaction in each service that it reaches. Somebody may wait for a workflow; nobody waits for counts of mail.
 */
const rests = {
  usual: { leastMs: 25, mostMs: 100, several: 2 },
  ofMail: { leastMs: 100, mostMs: 400, several: 4 },
};
const checkEveryMs = 2_000;
/** The stream is compared with the database at least this often, even without a visible change. */
const compareEveryMs = 30_000;
const pauseMs = { least: 1_000, most: 10_000 };
const dayMs = 86_400_000;

export interface OutboxRelayOptions {
  service: ServiceName;
  database: Database;
  relayRepository: OutboxRelayRepository;
  connection: BusConnection;
  clock: { now(): Promise<Date> };
  tracing?: Tracing;
  messagingMetrics?: MessagingMetrics;
}

/** The row id is the deduplication id of JetStream. When the stream is lost, its events are sent again beside
 * new ones. */
export class OutboxRelay {
  private readonly log = new Logger('Relay');
  private readonly loop: Loop;
  private readonly tracing: Tracing;
  private stream: JetStreamClient | null = null;
  private checkedAt = -Infinity;
  private comparedAt = -Infinity;
  private seen: SeenStream | null = null;
  private pauseMs = pauseMs.least;
  private rewoundGeneration: number | null = null;
  private shorterSince: number | null = null;
  private stopping = false;
  private readonly rest;
  private restMs: number;
  private readonly unsubscribe: () => void;

  constructor(private readonly options: OutboxRelayOptions) {
    this.tracing = options.tracing ?? new Tracing();
    this.rest = options.service === 'sending' ? rests.ofMail : rests.usual;
    this.restMs = this.rest.leastMs;
    this.loop = new Loop({
      everyMs: pauseMs.least,
      minIntervalMs: () => this.restMs,
      work: () => this.run(),
      onError: (error) => this.failed(error),
    });
    this.unsubscribe = options.database.onInsert(['outbox', 'event_repeats'], () => this.loop.wakeUp());
  }

  start(): void {
    this.loop.start();
  }

  /** No answer of NATS is waited for after the one that is due. */
  stop(): Promise<void> {
    this.stopping = true;
    this.unsubscribe();
    return this.loop.stop();
  }

  private async run(): Promise<number> {
    const { connection, relayRepository } = this.options;
    if (!connection.connected) {
      this.forget();
      return pauseMs.least;
    }
    if (performance.now() - this.checkedAt > checkEveryMs) await this.checkStream();
    if (this.stopping) return pauseMs.least;
    const { fresh: isAnyWaiting, republishing: isRepublishing } = await relayRepository.pending();
    if (!isAnyWaiting && !isRepublishing) return this.longerPause();
    this.pauseMs = pauseMs.least;
    this.stream ??= jetstream(connection.nats, { timeout: 5_000 });
    const stream = this.stream;
    const fresh = await relayRepository.sendFresh(batch, (events) => this.sendAll(stream, events));
    const republished =
      isRepublishing && !this.stopping
        ? await relayRepository.sendAgain(batch, (events, republicationId) =>
            this.sendAll(stream, events, republicationId),
          )
        : 0;
    if (fresh.quarantined.length > 0)
      this.log.error(`quarantined in the outbox: ${fresh.quarantined.join(', ')}`);
    if (fresh.failures.length > 0)
      this.log.warn(`${fresh.failures.length} events wait: ${fresh.failures[0]!.error.message}`);
    this.adaptRest(fresh.count);
    if (fresh.failures.some(({ kind }) => kind === 'away')) this.forget();
    else if (fresh.count === batch || republished > 0) this.loop.wakeUp();
    return this.pauseMs;
  }

  private adaptRest(found: number): void {
    const { leastMs, mostMs, several } = this.rest;
    this.restMs = found >= several && found < batch ? Math.min(2 * this.restMs, mostMs) : leastMs;
  }

  private longerPause(): number {
    this.restMs = this.rest.leastMs;
    this.pauseMs = Math.min(2 * this.pauseMs, pauseMs.most);
    return this.pauseMs;
  }

  /** Every event has its own acknowledgement, so that a failure delays no other. */
  private async sendAll(
    stream: JetStreamClient,
    events: OutgoingEvent[],
    republicationId?: string,
  ): Promise<SendResult> {
    const result: SendResult = { acknowledged: [], sequences: [], failures: [] };
    const sendOne = async (event: OutgoingEvent): Promise<void> => {
      try {
        const { duplicate, seq } = await this.sendTraced(stream, event, republicationId);
        this.options.messagingMetrics?.published.inc({ event: event.name });
        result.acknowledged.push(event.id);
        if (!duplicate) result.sequences.push(seq);
      } catch (error) {
        const kind = failureKindOf(error);
        if (kind === 'never')
          this.log.error(`NATS can never accept ${event.name} ${event.id}: ${(error as Error).message}`);
        result.failures.push({ id: event.id, error: error as Error, kind });
      }
    };
    await Promise.all(events.map(sendOne));
    return result;
  }

  private sendTraced(
    stream: JetStreamClient,
    event: OutgoingEvent,
    republicationId?: string,
  ): Promise<PubAck> {
    const context = republicationId ? undefined : this.tracing.context(readTraces(event.traces));
    if (!context) return send(stream, event, republicationId);
    return runInContext(context, () =>
      inSpan(`publish ${event.name}`, { kind: 'producer' }, () => send(stream, event, republicationId)),
    );
  }

  /** NATS may lose its store silently, and a subscriber may have created the stream again. */
  private async checkStream(): Promise<void> {
    const { connection, relayRepository, service, clock } = this.options;
    const now = seenIn(await ensureStream(connection, service));
    this.checkedAt = performance.now();
    if (
      this.seen &&
      isSame(this.seen, now) &&
      this.rewoundGeneration === null &&
      this.checkedAt - this.comparedAt < compareEveryMs
    )
      return;
    // Read before the stream, so that what others send in between does not look like a loss.
    const known = await relayRepository.known();
    const seen = seenIn(await this.adjusted(await ensureStream(connection, service)));
    if (known && this.mayBeBehind(known, seen)) return;
    if (!known || isLost(known, seen) || known.generation === this.rewoundGeneration) {
      const since = new Date((await clock.now()).getTime() - streamDays * dayMs);
      const first = await relayRepository.acceptNewStream(known, seen, since);
      if (first && known)
        this.log.warn('the stream has lost events: those of the last days are published again');
    }
    this.seen = seen;
    this.comparedAt = this.checkedAt;
  }

  private async adjusted(info: StreamInfo): Promise<StreamInfo> {
    try {
      return await adjustStream(this.options.connection, info);
    } catch (error) {
      // Replicas can be added only while enough servers are there; events do not wait for that.
      this.log.warn(`the stream keeps its settings for now: ${(error as Error).message}`);
      return info;
    }
  }

  /** A replica that has just become the leader may not know the end of the stream yet: it is looked at a second time. */
  private mayBeBehind(known: KnownStream, seen: SeenStream): boolean {
    const isShorter = known.identity === seen.identity && seen.lastSequence < known.lastSequence;
    this.shorterSince = isShorter ? (this.shorterSince ?? performance.now()) : null;
    return (
      this.shorterSince !== null &&
      known.generation !== this.rewoundGeneration &&
      performance.now() - this.shorterSince < checkEveryMs
    );
  }

  private failed(error: unknown): void {
    if (error instanceof StreamRewound) this.rewoundGeneration = error.generation;
    this.forget();
    this.log.warn(`events wait in the outbox: ${(error as Error).message}`);
  }

  /** The stream is compared again after a reconnect, because another one may be there. */
  private forget(): void {
    this.stream = null;
    this.seen = null;
    this.checkedAt = -Infinity;
  }
}

const seenIn = (info: StreamInfo): SeenStream => ({
  identity: identityOf(info),
  lastSequence: info.state.last_seq,
});

const isSame = (a: SeenStream, b: SeenStream): boolean =>
  a.identity === b.identity && a.lastSequence === b.lastSequence;

function isLost(known: SeenStream, seen: SeenStream): boolean {
  return known.identity !== seen.identity || seen.lastSequence < known.lastSequence;
}

function send(stream: JetStreamClient, outgoing: OutgoingEvent, republicationId?: string): Promise<PubAck> {
  const { id, projectId, name, items, createdAt, actor, ipAddress } = outgoing;
  const version = eventCatalogue.find((event) => event.name === name)?.version ?? 1;
  const by = { ...(actor ? { actor } : {}), ...(ipAddress ? { ipAddress } : {}) };
  const payload: WireEvent = { id, name, version, projectId, at: createdAt, ...by, items };
  return stream.publish(eventSubject(name), encode(JSON.stringify(payload)), {
    msgID: republicationId ? `${id} ${republicationId}` : id,
    headers: tracedHeaders(),
  });
}

/** JSStreamMessageExceedsMaximumErr of nats-server. */
const messageTooLarge = 10_054;

/** Only errors about this very payload are final. */
function failureKindOf(error: unknown): SendFailure['kind'] {
  if (error instanceof errors.InvalidArgumentError || error instanceof errors.InvalidSubjectError)
    return 'never';
  if (error instanceof JetStreamApiError) return error.code === messageTooLarge ? 'never' : 'refused';
  return 'away';
}
