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
import { CallBatches, longestOf, type Outgoing } from './call-batches.js';
import { CallFailed } from './call-failed.js';
import { messageBytes, packPayload, receivePayload } from './chunked.js';
import type { BusConnection } from './connection.js';
import { decode, encodeAll, fromWireError, subjectOf, type CallFrame, type ReplyFrame } from './frames.js';
import type { MessagingMetrics } from '../messaging.metrics.js';
import type { LocalCalls } from './process-calls.js';
import { tracedHeaders } from './traced-headers.js';

/** Long enough for a busy service, short enough for an answer within two seconds (docs/guarantees.md G17). */
const callTimeoutMs = 1_700;

/** How long a call waits for its answer: a time of its own, or a share of what calls usually wait, which follows `ANSWER_WITHIN_MS`. */
export interface CallTime {
  timeoutMs?: number;
  timeoutShare?: number;
}

/** What a call that carries `items` waits, as a share of what a call for one does: about twice as long for fifty, thirteen times at most. */
export const shareFor = (items: number): number => 1 + Math.min(items - 1, 600) / 50;

interface MessageCall extends Outgoing {
  pieces: JsonPiece[];
}

export class Bus {
  private readonly batches = new CallBatches<MessageCall>({
    request: (contract, calls) => this.request(contract, calls),
    maxBytes: () => messageBytes(this.connection.nats),
  });

  constructor(
    private readonly connection: BusConnection,
    /** Deadlines are in the time of Postgres, whatever the clocks of processes. */
    private readonly clock?: { now(): Promise<Date> },
    private readonly metrics?: MessagingMetrics,
    private readonly timeoutMs = callTimeoutMs,
    /** What other services of the same process answer. */
    private readonly local?: LocalCalls,
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
    // Without NATS no call is made in any mode: what it would begin could not be told to others (docs/guarantees.md G17).
    if (!this.connected) throw new CallFailed(contract, { reached: false, timedOut: false });
    if (this.local?.answers(contract)) return replyOf<Out>(await this.local.send(contract, frame, timeoutMs));
    return reviveDates(contract.reply, replyOf<Out>(await this.send(contract, frame, timeoutMs)));
  }

  private send(contract: RequestContract, frame: CallFrame, timeoutMs: number): Promise<ReplyFrame> {
    const pieces = writeJson(() => JSON.stringify(frame));
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    return this.batches.send(contract, { pieces, bytes, timeoutMs });
  }

  private async request(contract: RequestContract, calls: MessageCall[]): Promise<ReplyFrame[]> {
    if (!this.connection.connected) throw new CallFailed(contract, { reached: false, timedOut: false });
    const nats = this.connection.nats;
    const packed = packPayload(nats, encodeAll(calls.map(({ pieces }) => pieces)));
    const lost = this.untilLost(contract);
    try {
      const requested = nats.request(subjectOf(contract.subject), packed.data, {
        timeout: longestOf(calls),
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

function replyOf<Out>(answer: ReplyFrame): Out {
  if ('error' in answer) throw fromWireError(answer.error);
  return answer.reply as Out;
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
