import { errors as natsErrors } from '@nats-io/transport-node';
import {
  DomainError,
  reviveDates,
  unavailable,
  writeJson,
  type Caller,
  type JsonPiece,
  type RequestContract,
} from '@posthorn/contracts';
import { currentContext, currentTraces, inSpan } from '@posthorn/telemetry';
import { messageBytes, packPayload, receivePayload } from './chunked.js';
import type { BusConnection } from './connection.js';
import { decode, encodeAll, fromWireError, subjectOf, type CallFrame, type ReplyFrame } from './frames.js';
import { Gatherer } from './gatherer.js';
import type { MessagingMetrics } from '../messaging.metrics.js';
import { tracedHeaders } from './traced-headers.js';

/** Long enough for a busy service, short enough for an answer within two seconds (docs/guarantees.md G17). */
const callTimeoutMs = 1_700;
const maxGathered = 64;

/** How long a call waits for its answer: a time of its own, or a share of what calls usually wait, which follows `ANSWER_WITHIN_MS`. */
export interface CallTime {
  timeoutMs?: number;
  timeoutShare?: number;
}

/** What a call that carries `items` waits, as a share of what a call for one does: about twice as long for fifty, thirteen times at most. */
export const shareFor = (items: number): number => 1 + Math.min(items - 1, 600) / 50;

interface Outgoing {
  pieces: JsonPiece[];
  timeoutMs: number;
}

interface Failure {
  /** The call may have reached its service. */
  reached: boolean;
  timedOut: boolean;
}

/** Where the outcome is unknown, it has to be settled. */
export class CallFailed extends DomainError {
  readonly isOutcomeUnknown: boolean;

  constructor({ onlyReads }: RequestContract, { reached, timedOut }: Failure) {
    super(timedOut ? 'timeout' : 'unavailable', 'internal_error', 'The service is temporarily unavailable', {
      retryAfterSeconds: 1,
    });
    this.name = 'CallFailed';
    this.isOutcomeUnknown = reached && !onlyReads;
  }
}

export class Bus {
  private readonly gatherers = new Map<string, Gatherer<Outgoing, ReplyFrame>>();

  constructor(
    private readonly connection: BusConnection,
    /** Deadlines are in the time of Postgres, whatever the clocks of processes. */
    private readonly clock?: { now(): Promise<Date> },
    private readonly metrics?: MessagingMetrics,
    private readonly timeoutMs = callTimeoutMs,
  ) {}

  get connected(): boolean {
    return this.connection.connected;
  }

  call<In extends object, Out extends object>(
    contract: RequestContract<In, Out>,
    caller: Caller,
    body: In,
    { timeoutShare = 1, timeoutMs = timeoutShare * this.timeoutMs }: CallTime = {},
  ): Promise<Out> {
    return inSpan(`call ${contract.subject}`, { kind: 'client' }, () =>
      this.measured(contract, this.ask(contract, caller, body, timeoutMs)),
    );
  }

  private async measured<Out>({ subject }: RequestContract, answer: Promise<Out>): Promise<Out> {
    const began = performance.now();
    try {
      return await answer;
    } catch (error) {
      if (error instanceof CallFailed)
        this.metrics?.callFailures.inc({
          subject,
          reason: error.kind === 'timeout' ? 'timeout' : 'unreachable',
        });
      throw error;
    } finally {
      this.metrics?.callDuration.observe({ subject }, (performance.now() - began) / 1_000);
    }
  }

  private async ask<In extends object, Out extends object>(
    contract: RequestContract<In, Out>,
    caller: Caller,
    body: In,
    timeoutMs: number,
  ): Promise<Out> {
    const deadline = this.clock ? (await this.clock.now()).getTime() + timeoutMs : 0;
    const requests = currentContext()?.requestIds;
    const frame: CallFrame = { caller, deadline, body, requests, traces: currentTraces() ?? undefined };
    const answer = await this.send(contract, { pieces: writeJson(() => JSON.stringify(frame)), timeoutMs });
    if ('error' in answer) throw fromWireError(answer.error);
    return reviveDates(contract.reply, answer.reply as Out);
  }

  private async send(contract: RequestContract, outgoing: Outgoing): Promise<ReplyFrame> {
    if (contract.gathered)
      return within(contract, outgoing.timeoutMs, this.gathererFor(contract).submit(outgoing));
    const [answer] = await this.tracedRequest(contract, [outgoing]);
    return answer!;
  }

  private gathererFor(contract: RequestContract): Gatherer<Outgoing, ReplyFrame> {
    const known = this.gatherers.get(contract.subject);
    if (known) return known;
    const gatherer = new Gatherer<Outgoing, ReplyFrame>({
      flush: (calls) => this.tracedRequest(contract, calls),
      maxItems: maxGathered,
      maxBytes: messageBytes(this.connection.nats),
      sizeOf: ({ pieces }) => pieces.reduce((sum, { length }) => sum + length, 0),
    });
    this.gatherers.set(contract.subject, gatherer);
    return gatherer;
  }

  private tracedRequest(contract: RequestContract, calls: Outgoing[]): Promise<ReplyFrame[]> {
    const spanOptions = { kind: 'producer', attributes: { 'posthorn.batch.size': calls.length } } as const;
    return inSpan(`send ${contract.subject}`, spanOptions, () => this.request(contract, calls));
  }

  private async request(contract: RequestContract, calls: Outgoing[]): Promise<ReplyFrame[]> {
    if (!this.connection.connected) throw new CallFailed(contract, { reached: false, timedOut: false });
    const nats = this.connection.nats;
    const packed = packPayload(nats, encodeAll(calls.map(({ pieces }) => pieces)));
    // Each call of a batch ends at its own time: one that has little left must not end its neighbours.
    const timeout = Math.max(...calls.map(({ timeoutMs }) => timeoutMs));
    const lost = this.untilLost(contract);
    try {
      const requested = nats.request(subjectOf(contract.subject), packed.data, {
        timeout,
        headers: tracedHeaders(packed.headers),
      });
      requested.catch(() => undefined);
      const message = await Promise.race([requested, lost.promise]);
      const replies = decode<ReplyFrame[]>(await receivePayload(nats, message));
      if (replies.length !== calls.length)
        throw unavailable(`${contract.subject} answered ${replies.length} of ${calls.length} calls`);
      return replies;
    } catch (error) {
      throw callFailure(contract, error);
    } finally {
      lost.stop();
      packed.close();
    }
  }

  /** Rejects when the connection is lost, instead of waiting for the deadline. */
  private untilLost(contract: RequestContract): { promise: Promise<never>; stop: () => void } {
    let stop = (): void => undefined;
    const promise = new Promise<never>((_, reject) => {
      stop = this.connection.onLost(() =>
        reject(new CallFailed(contract, { reached: true, timedOut: false })),
      );
    });
    promise.catch(() => undefined);
    return { promise, stop };
  }
}

/** Includes the time in which the call is gathered with others. */
function within<T>(contract: RequestContract, timeoutMs: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CallFailed(contract, { reached: true, timedOut: true })),
      timeoutMs,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function callFailure(contract: RequestContract, error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof natsErrors.NoRespondersError || isNoResponders(error))
    return new CallFailed(contract, { reached: false, timedOut: false });
  return new CallFailed(contract, { reached: true, timedOut: error instanceof natsErrors.TimeoutError });
}

function isNoResponders(error: unknown): boolean {
  return error instanceof natsErrors.RequestError && error.isNoResponders();
}
