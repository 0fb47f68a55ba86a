import { AsyncLocalStorage } from 'node:async_hooks';
import { isNativeError } from 'node:util/types';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import {
  ArrivingCopy,
  DomainError,
  freeBuffer,
  validateInPlace,
  type RequestContract,
} from '@posthorn/contracts';
import { fromDatabaseError } from '@posthorn/database';
import {
  inSpans,
  joinContexts,
  readTraces,
  runInContext,
  Tracing,
  type WorkContext,
} from '@posthorn/telemetry';
import { runAsCaller } from './acting.js';
import { CallFailed } from './call-failed.js';
import { isChunked, packPayload, receivePayload, transferBytes } from './chunked.js';
import {
  decode,
  decodeLarge,
  encode,
  encodeOne,
  subjectOf,
  toWireError,
  type CallFrame,
  type ReplyFrame,
} from './frames.js';
import { currentService } from '../outages/service-context.js';
import type { BatchReply, Incoming } from './handlers.js';
import { leave } from './leave.js';
import type { LocalCall, ProcessCalls } from './process-calls.js';

export type Answer = (data: Incoming<object> | Incoming<object>[]) => Promise<unknown>;

export interface CallResponderOptions {
  nats: NatsConnection;
  queue: string;
  onUnexpected: (error: unknown, subject: string) => void;
  tracing?: Tracing;
  /** Of the process, whose other services then need no message. */
  calls?: ProcessCalls;
}

const ignored = (): void => undefined;

export class CallResponder {
  private readonly subscription: Subscription;
  private readonly running = new Set<Promise<void>>();
  private readonly tracing: Tracing;
  /** That of the service: no transaction, caller or trace of who calls in the same process. */
  private readonly inOwnContext = AsyncLocalStorage.snapshot();

  constructor(
    private readonly contract: RequestContract,
    private readonly answer: Answer,
    private readonly options: CallResponderOptions,
  ) {
    this.tracing = options.tracing ?? new Tracing();
    this.subscription = options.nats.subscribe(subjectOf(contract.subject), {
      queue: options.queue,
      callback: (error, message) => {
        if (!error) this.track(this.serve(message));
      },
    });
    options.calls?.add(contract.subject, this);
  }

  async drain(): Promise<void> {
    this.options.calls?.remove(this.contract.subject);
    const { nats } = this.options;
    if (!nats.isClosed()) await leave(nats, this.subscription.drain());
    await Promise.all(this.running);
  }

  /** Rejects where a message would have had no reply. */
  answerHere(calls: readonly LocalCall[]): Promise<ReplyFrame[]> {
    return this.inOwnContext(() => {
      const answer = this.answerLocal(calls);
      this.track(answer.then(ignored, ignored));
      return answer;
    });
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  private async serve(message: Msg): Promise<void> {
    const { nats, onUnexpected } = this.options;
    try {
      const replies = await this.answerPayload(message, await receivePayload(nats, message));
      const packed = packPayload(nats, [encode(JSON.stringify(replies))]);
      if (message.reply) nats.publish(message.reply, packed.data, { headers: packed.headers });
      // The caller fetches a large reply within its own deadline.
      if (packed.headers) setTimeout(packed.close, 30_000).unref();
    } catch (error) {
      onUnexpected(error, this.contract.subject);
    }
  }

  private async answerLocal(calls: readonly LocalCall[]): Promise<ReplyFrame[]> {
    const payloads: Buffer[] = [];
    try {
      const frames = calls.map(({ frame, pieces }) => {
        if (!pieces) return frame;
        const payload = encodeOne(pieces);
        payloads.push(payload);
        return decodeLarge<CallFrame>(payload);
      });
      const copy = new ArrivingCopy();
      const replies = (await this.answerAll(frames)).map((reply) => this.copyReply(copy, reply));
      if (copy.bytes > transferBytes) throw new Error(`a reply of ${copy.bytes} bytes is too large`);
      return replies;
    } catch (error) {
      this.options.onUnexpected(error, this.contract.subject);
      throw new CallFailed(this.contract, { reached: true, timedOut: false });
    } finally {
      for (const payload of payloads) freeBuffer(payload);
    }
  }

  private copyReply(copy: ArrivingCopy, answer: ReplyFrame): ReplyFrame {
    return 'error' in answer ? copy.plain(answer) : { reply: copy.of(this.contract.reply, answer.reply) };
  }

  /** A chunked transfer has its own memory, in which files may stay; it is released afterwards. */
  private async answerPayload(message: Msg, payload: Uint8Array): Promise<ReplyFrame[]> {
    if (!isChunked(message)) return this.answerAll(decode<CallFrame[]>(payload));
    try {
      return await this.answerAll(decodeLarge<CallFrame[]>(payload as Buffer));
    } finally {
      freeBuffer(payload);
    }
  }

  private answerAll(frames: CallFrame[]): Promise<ReplyFrame[]> {
    const contexts = frames.map(({ traces, requests }) => this.tracing.context(readTraces(traces), requests));
    const spanOptions = { kind: 'server', attributes: { 'posthorn.batch.size': frames.length } } as const;
    return inSpans(`answer ${this.contract.subject}`, spanOptions, contexts, (inner) => {
      if (this.contract.gathered)
        return runInContext(joinContexts(inner), () => this.answerGathered(frames, inner));
      return Promise.all(
        frames.map((frame, index) => runInContext(inner[index], () => this.answerOne(frame))),
      );
    });
  }

  private async answerOne(frame: CallFrame): Promise<ReplyFrame> {
    try {
      return { reply: await runAsCaller(frame.caller, () => this.answer(this.read(frame))) };
    } catch (error) {
      return this.failure(error);
    }
  }

  private async answerGathered(
    frames: CallFrame[],
    contexts: readonly (WorkContext | undefined)[],
  ): Promise<ReplyFrame[]> {
    const replies: ReplyFrame[] = [];
    const readable: { index: number; call: Incoming<object> }[] = [];
    frames.forEach((frame, index) => {
      try {
        readable.push({ index, call: { ...this.read(frame), context: contexts[index] } });
      } catch (error) {
        replies[index] = this.failure(error);
      }
    });
    try {
      const answers =
        readable.length > 0
          ? ((await this.answer(readable.map(({ call }) => call))) as BatchReply<object>)
          : [];
      readable.forEach(({ index }, answerIndex) => {
        const answer = answers[answerIndex];
        replies[index] = isNativeError(answer) ? this.failure(answer) : { reply: answer };
      });
    } catch (error) {
      for (const { index } of readable) replies[index] = this.failure(error);
    }
    return replies;
  }

  private read({ caller, deadline, body }: CallFrame): Incoming<object> {
    return {
      caller,
      deadline: deadline > 0 ? new Date(deadline) : null,
      body: validateInPlace(this.contract.body, body as object),
    };
  }

  private failure(error: unknown): ReplyFrame {
    currentService()?.noteFailure(error);
    const known = error instanceof DomainError ? error : fromDatabaseError(error);
    if (!known) this.options.onUnexpected(error, this.contract.subject);
    return toWireError(
      known ?? new DomainError('internal', 'internal_error', 'An unexpected error occurred'),
    );
  }
}
