import { Logger } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import {
  busAccess,
  subscriberOf,
  eventCatalogue,
  requestsOf,
  type EventContract,
  type RequestContract,
  type ServiceName,
} from '@posthorn/contracts';
import type { Tracing } from '@posthorn/telemetry';
import { CallResponder, type Answer } from './call-responder.js';
import type { BusConnection } from './connection.js';
import type { DeadLetters } from '../events/dead-letters.repository.js';
import { ConsumerWatch } from '../events/consumer-watch.js';
import type { Interests } from '../events/event-parts.js';
import { EventSubscription } from '../events/event-subscription.js';
import { Subscriber } from '../events/subscriber.js';
import { findHandlers, findInterests, type Relevance } from './handlers.js';
import type { Inbox } from '../events/inbox.repository.js';
import type { MessagingMetrics } from '../messaging.metrics.js';
import { OperatorCalls } from './operator-calls.js';
import type { ProcessCalls } from './process-calls.js';
import type { OutboxRelayRepository } from '../outbox/outbox-relay.repository.js';

export interface BusServerOptions {
  service: ServiceName;
  connection: BusConnection;
  inbox: Inbox;
  relayRepository: OutboxRelayRepository;
  deadLetters: DeadLetters;
  tracing?: Tracing;
  messagingMetrics?: MessagingMetrics;
  calls?: ProcessCalls;
}

export class BusServer extends Server implements CustomTransportStrategy {
  private readonly log = new Logger('Bus');
  private answering: CallResponder[] = [];
  private subscriptions: EventSubscription[] = [];
  private interests: Interests | undefined;
  private readonly operatorCalls: OperatorCalls;

  constructor(private readonly options: BusServerOptions) {
    super();
    this.operatorCalls = new OperatorCalls({
      ...options,
      subscribers: () => this.subscriptions.flatMap(({ subscribers }) => subscribers),
    });
  }

  /** Before `listen`. Nest would look only at controllers, and wrap each handler in a proxy that hides its errors. */
  addHandlersOf(modules: ModulesContainer): void {
    this.interests = findInterests(modules);
    for (const { pattern, isSubscriber, concerns, interestOf, handle } of findHandlers(modules)) {
      if (this.messageHandlers.has(pattern)) throw new Error(`${pattern} has two handlers`);
      this.addHandler(pattern, handle, isSubscriber, { concerns, interestOf });
      if (interestOf && !this.interests)
        throw new Error(`${pattern} has interests, and nobody knows who asks for them`);
    }
  }

  listen(callback: (error?: unknown) => void): void {
    this.open().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.answering.map((each) => each.drain()),
      ...this.subscriptions.map((each) => each.stop()),
    ]);
  }

  on(): void {}

  unwrap<T>(): T {
    return this.options.connection.nats as T;
  }

  private async open(): Promise<void> {
    this.refuseGaps();
    this.start();
    // NATS knows every subscription before the service reports that it is up.
    await this.options.connection.nats.flush();
  }

  private refuseGaps(): void {
    const contracts = requestsOf(this.options.service).map(({ subject }) => subject);
    const handled = [
      ...this.patterns(false),
      ...this.operatorCalls.answers().map(([{ subject }]) => subject),
    ];
    const gaps = contracts.filter((subject) => !handled.includes(subject));
    const unknown = handled.filter((subject) => !contracts.includes(subject));
    if (gaps.length + unknown.length > 0) {
      throw new Error(
        `${this.options.service}: no handler for [${gaps.join(', ')}]; no contract for [${unknown.join(', ')}]`,
      );
    }
    const { receives } = busAccess[this.options.service];
    const allowed = receives.map(({ event, purpose }) => `${event.name} ${purpose}`);
    for (const pattern of this.patterns(true)) {
      if (!eventOf(pattern)) throw new Error(`there is no event ${pattern.split(' ')[0]}`);
      if (!allowed.includes(pattern))
        throw new Error(`${this.options.service} may not receive ${pattern}: add it to busAccess`);
    }
  }

  private patterns(events: boolean): string[] {
    return [...this.messageHandlers]
      .filter(([, handler]) => Boolean(handler.isEventHandler) === events)
      .map(([pattern]) => pattern);
  }

  private start(): void {
    const { service } = this.options;
    const contracts = new Map(requestsOf(service).map((contract) => [contract.subject, contract]));
    for (const pattern of this.patterns(false)) {
      const handler = this.messageHandlers.get(pattern)!;
      this.serve(contracts.get(pattern) as RequestContract, (data) => handler(data) as Promise<unknown>);
    }
    for (const [contract, answer] of this.operatorCalls.answers()) this.serve(contract, answer);
    this.subscriptions = this.subscriptionsOf(this.patterns(true));
    for (const subscription of this.subscriptions) subscription.start();
  }

  /** One for each service whose events are received. */
  private subscriptionsOf(patterns: readonly string[]): EventSubscription[] {
    const { service, connection, ...parts } = this.options;
    const consumers = new ConsumerWatch(connection);
    const byOwner = Map.groupBy(patterns, (pattern) => eventOf(pattern)!.owner);
    return [...byOwner].map(([owner, received]) => {
      const subscribers = received.map((pattern) => this.subscriberOf(pattern));
      return new EventSubscription({
        ...parts,
        interests: this.interests,
        connection,
        consumers,
        owner,
        durable: service,
        subscribers,
      });
    });
  }

  private subscriberOf(pattern: string): Subscriber {
    const { service, ...parts } = this.options;
    const handler = this.messageHandlers.get(pattern)!;
    return new Subscriber({
      ...parts,
      ...(handler.extras as Relevance),
      interests: this.interests,
      name: subscriberOf(service, pattern.split(' ')[1] ?? ''),
      contract: eventOf(pattern)!,
      run: async (event) => void (await handler(event)),
    });
  }

  private serve(contract: RequestContract, answer: Answer): void {
    const { service, connection, tracing, calls } = this.options;
    const onUnexpected = (error: unknown, subject: string) =>
      this.log.error(`${subject}: ${(error as Error).stack ?? String(error)}`);
    this.answering.push(
      new CallResponder(contract, answer, {
        nats: connection.nats,
        queue: service,
        onUnexpected,
        tracing,
        calls,
      }),
    );
  }
}

const eventOf = (pattern: string): EventContract | undefined =>
  eventCatalogue.find(({ name }) => name === pattern.split(' ')[0]);
