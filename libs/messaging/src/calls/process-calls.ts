import {
  ArrivingCopy,
  busAccess,
  writeJson,
  type JsonPiece,
  type RequestContract,
  type ServiceName,
} from '@posthorn/contracts';
import { CallBatches, longestOf, type Outgoing } from './call-batches.js';
import { CallFailed, within } from './call-failed.js';
import { mostBytes, transferBytes } from './chunked.js';
import type { CallFrame, ReplyFrame } from './frames.js';

/** A call within the process: a copy, or the JSON of one that has files. */
export interface LocalCall extends Outgoing {
  frame: CallFrame;
  pieces: JsonPiece[] | null;
}

interface Answering {
  answerHere(calls: readonly LocalCall[]): Promise<ReplyFrame[]>;
}

/** What the services of one process answer, for one another (docs/decisions/0044). Its host makes it. */
export class ProcessCalls {
  private readonly answering = new Map<string, Answering>();

  add(subject: string, responder: Answering): void {
    this.answering.set(subject, responder);
  }

  remove(subject: string): void {
    this.answering.delete(subject);
  }

  /** Nothing that NATS would not let the service call, so that a missing right is found in every mode. */
  openTo(service: ServiceName): LocalCalls {
    const allowed = new Set(busAccess[service].calls.map(({ subject }) => subject));
    return new LocalCalls((subject) => (allowed.has(subject) ? this.answering.get(subject) : undefined));
  }
}

export class LocalCalls {
  private readonly batches = new CallBatches<LocalCall>({
    request: (contract, calls) => this.request(contract, calls),
    maxBytes: () => mostBytes.message,
  });

  constructor(private readonly find: (subject: string) => Answering | undefined) {}

  answers({ subject }: RequestContract): boolean {
    return this.find(subject) !== undefined;
  }

  send(contract: RequestContract, frame: CallFrame, timeoutMs: number): Promise<ReplyFrame> {
    return this.batches.send(contract, { ...copied(contract, frame), timeoutMs });
  }

  private async request(contract: RequestContract, calls: LocalCall[]): Promise<ReplyFrame[]> {
    const responder = this.find(contract.subject);
    if (!responder) throw new CallFailed(contract, { reached: false, timedOut: false });
    return within(contract, longestOf(calls), responder.answerHere(calls));
  }
}

function copied(contract: RequestContract, frame: CallFrame): Omit<LocalCall, 'timeoutMs'> {
  const copy = new ArrivingCopy();
  const sent = { ...frame, caller: copy.plain(frame.caller), body: copy.of(contract.body, frame.body) };
  const pieces = copy.hasFiles ? writeJson(() => JSON.stringify(frame)) : null;
  const bytes = pieces ? pieces.reduce((sum, { length }) => sum + length, 0) : copy.bytes;
  if (bytes > transferBytes) throw new CallFailed(contract, { reached: false, timedOut: false });
  return { frame: sent, pieces, bytes };
}
