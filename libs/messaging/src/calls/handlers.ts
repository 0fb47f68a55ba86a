import { SetMetadata } from '@nestjs/common';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import {
  receivedEach,
  type Caller,
  type DomainError,
  type EventContract,
  type RequestContract,
} from '@posthorn/contracts';
import { runInContext, type WorkContext } from '@posthorn/telemetry';
import { runAsCaller } from './acting.js';
import { Interests } from '../events/event-parts.js';
import type { WireEvent } from './frames.js';

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

const answered = Symbol('posthorn:answered');
const received = Symbol('posthorn:received');
const relevance = Symbol('posthorn:relevance');

/** Whether an item can ever matter to a subscriber, by what never changes about it and its event. An event without such an item is acknowledged without a transaction. */
export type Concerns = (item: object, event: Pick<WireEvent, 'actor'>) => boolean;

/** What an item is about, for `Interests`; `event` is the name of its event. */
export type InterestOf = (item: object, event: string) => string;

export interface Relevance {
  concerns?: Concerns;
  interestOf?: InterestOf;
}

/** The method is `(call: Incoming<In>) => Promise<Out>`, or for a gathered contract one of lists. */
export const Handles = (contract: RequestContract): MethodDecorator =>
  SetMetadata(answered, [contract.subject]);

/** Marks a subscriber, which gets each event at least once; `purpose` names its durable consumer. */
export const OnEvent = (contract: EventContract, purpose: string): MethodDecorator =>
  SetMetadata(received, [`${contract.name} ${purpose}`]);

export const OnEachEvent =
  (contracts: readonly EventContract[], purpose: string, relevant: Relevance = {}): MethodDecorator =>
  (target, name, descriptor) => {
    const patterns = receivedEach(contracts, purpose).map((each) => `${each.event.name} ${each.purpose}`);
    SetMetadata(received, patterns)(target, name, descriptor);
    SetMetadata(relevance, relevant)(target, name, descriptor);
  };

export interface FoundHandler extends Relevance {
  /** A subject, or the name of an event and the purpose of its subscriber. */
  pattern: string;
  isSubscriber: boolean;
  handle: (data: unknown) => Promise<unknown>;
}

/** The marked methods of all providers. */
export function findHandlers(modules: ModulesContainer): FoundHandler[] {
  const scanner = new MetadataScanner();
  return providersOf(modules).flatMap((instance) =>
    scanner
      .getAllMethodNames(Object.getPrototypeOf(instance) as object | null)
      .flatMap((name) => handlersAt(instance, name)),
  );
}

export const findInterests = (modules: ModulesContainer): Interests | undefined =>
  providersOf(modules).find((provider) => provider instanceof Interests);

function providersOf(modules: ModulesContainer): object[] {
  const providers = [...modules.values()].flatMap((each) => [...each.providers.values()]);
  return [...new Set(providers.map(({ instance }) => instance as unknown).filter(isObject))];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function handlersAt(instance: object, name: string): FoundHandler[] {
  const method = (instance as Record<string, FoundHandler['handle']>)[name]!;
  const marked = (key: symbol, isSubscriber: boolean) =>
    ((Reflect.getMetadata(key, method) as string[] | undefined) ?? []).map((pattern): FoundHandler => {
      const relevant = Reflect.getMetadata(relevance, method) as Relevance | undefined;
      return { ...relevant, pattern, isSubscriber, handle: async (data) => method.call(instance, data) };
    });
  return [...marked(answered, false), ...marked(received, true)];
}
