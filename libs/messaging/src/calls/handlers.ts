import { EventPattern, MessagePattern } from '@nestjs/microservices';
import {
  receivedEach,
  type Caller,
  type DomainError,
  type EventContract,
  type RequestContract,
} from '@posthorn/contracts';
import { runInContext, type WorkContext } from '@posthorn/telemetry';
import { runAsCaller } from './acting.js';

export const busTransport = Symbol('posthorn:bus');

export interface Incoming<Body> {
  caller: Caller;
  body: Body;
  /** Postgres time; null for none. A write that begins later is refused; an earlier one may still commit, which settling finds. */
  deadline: Date | null;
  context?: WorkContext;
}

/** One entry for each call; an error rejects only its own call. */
export type BatchReply<Reply> = (Reply | DomainError)[];

export function answerEach<Body, Reply>(
  calls: readonly Incoming<Body>[],
  answer: (call: Incoming<Body>) => Promise<Reply>,
): Promise<(Reply | Error)[]> {
  const answerOne = (call: Incoming<Body>) =>
    runInContext(call.context, () => runAsCaller(call.caller, () => answer(call)));
  return Promise.all(calls.map((call) => answerOne(call).catch((error: Error) => error)));
}

/** The subscriber runs within the transaction of the inbox rows, so that an item takes effect once, though a failed batch is run again. */
export interface DomainEvent<Item> {
  projectId: string;
  items: Item[];
  origins: readonly EventOrigin[];
}

export interface EventOrigin {
  event: string;
  /** Of the message, and where in it the item is: together the same for every delivery. */
  eventId: string;
  position: number;
  at: Date;
  actor?: Caller['actor'];
  ipAddress?: string;
}

/** The handler is `(call: Incoming<In>) => Promise<Out>`, or for a gathered contract one of lists. */
export const Handles = (contract: RequestContract): MethodDecorator =>
  MessagePattern(contract.subject, busTransport);

/** Marks a subscriber, which gets each event at least once; `purpose` names its durable consumer. */
export const OnEvent = (contract: EventContract, purpose: string): MethodDecorator =>
  EventPattern<string>(`${contract.name} ${purpose}`, busTransport) as MethodDecorator;

export const OnEachEvent = (contracts: readonly EventContract[], purpose: string): MethodDecorator =>
  EventPattern<string[]>(
    receivedEach(contracts, purpose).map((each) => `${each.event.name} ${each.purpose}`),
    busTransport,
  ) as MethodDecorator;
