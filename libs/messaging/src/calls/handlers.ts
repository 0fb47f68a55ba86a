import { EventPattern, MessagePattern } from '@nestjs/microservices';
import type { Caller, DomainError, EventContract, RequestContract } from '@posthorn/contracts';
import { runInContext, type WorkContext } from '@posthorn/telemetry';
import { actFor } from './acting.js';

export const busTransport = Symbol('posthorn:bus');

/** A question as its handler sees it: read, checked, and with who asks. */
export interface Incoming<Body> {
  caller: Caller;
  body: Body;
  /** Postgres time; null for none. Past it the call must have no effect. */
  deadline: Date | null;
  /** For whom it is asked, where calls are answered together. */
  context?: WorkContext;
}

/** What a handler of a batchable contract answers: one entry a call, an error for its own call only. */
export type BatchReply<Reply> = (Reply | DomainError)[];

/** Answers each call of a batch for itself: its log lines and spans are its own, and so is its failure. */
export function answerEach<Body, Reply>(
  calls: readonly Incoming<Body>[],
  answer: (call: Incoming<Body>) => Promise<Reply>,
): Promise<(Reply | Error)[]> {
  const answerOne = (call: Incoming<Body>) =>
    runInContext(call.context, () => actFor(call.caller, () => answer(call)));
  return Promise.all(calls.map((call) => answerOne(call).catch((error: Error) => error)));
}

/**
 * Committed events of one project as their subscriber sees them: what waited together comes together. The subscriber runs
 * inside the transaction of the inbox rows; items that it has taken in before are not shown again.
 */
export interface DomainEvent<Item> {
  projectId: string;
  items: Item[];
  /** Where each item comes from, in their order. */
  origins: readonly EventOrigin[];
}

/** What the envelope of an event says: who did it, from where, and when it was committed. */
export interface EventOrigin {
  event: string;
  at: Date;
  actor?: Caller['actor'];
  address?: string;
}

/** The method answers this contract: `(call: Incoming<In>) => Promise<Out>`, or for a batchable one a list of each. */
export const Handles = (contract: RequestContract): MethodDecorator =>
  MessagePattern(contract.subject, busTransport);

/** The method hears this event at least once; `purpose` names the durable consumer, one for each effect. */
export const OnEvent = (contract: EventContract, purpose: string): MethodDecorator =>
  EventPattern<string>(`${contract.name} ${purpose}`, busTransport) as MethodDecorator;

/** The method hears all these events, each through a durable consumer of its own. */
export const OnEachEvent = (contracts: readonly EventContract[], purpose: string): MethodDecorator =>
  EventPattern<string[]>(
    contracts.map(({ name }) => `${name} ${purpose}-${name.replace(/[._]/g, '-')}`),
    busTransport,
  ) as MethodDecorator;
