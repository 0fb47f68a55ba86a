import {
  deadLetterNotFound,
  operations,
  type DeadLetterId,
  type ListDeadLetters,
  type ReplayedDeadLetter,
  type RepublishEvents,
  type RepublishedEvents,
  type RequestContract,
  type ServiceName,
} from '@posthorn/contracts';
import type { Answer } from './call-responder.js';
import type { DeadLetters } from '../events/dead-letters.repository.js';
import type { WireEvent } from './frames.js';
import type { Incoming } from './handlers.js';
import { truncated } from '../events/inbox.repository.js';
import type { OutboxRelayRepository } from '../outbox/outbox-relay.repository.js';

interface Subscriber {
  name: string;
  apply(events: WireEvent[]): Promise<void>;
}

export interface OperationsOptions {
  service: ServiceName;
  relayRepository: OutboxRelayRepository;
  deadLetters: DeadLetters;
  subscribers: () => readonly Subscriber[];
}

export class OperatorCalls {
  constructor(private readonly options: OperationsOptions) {}

  answers(): [RequestContract, Answer][] {
    const { listDeadLetters, replayDeadLetter, republish } = operations[this.options.service];
    const one = <Body>(answer: (body: Body) => Promise<unknown>): Answer => {
      return (call) => answer((call as Incoming<object>).body as Body);
    };
    return [
      [listDeadLetters, one<ListDeadLetters>((body) => this.options.deadLetters.list(body))],
      [replayDeadLetter, one<DeadLetterId>((body) => this.replay(body))],
      [republish, one<RepublishEvents>((body) => this.republish(body))],
    ];
  }

  private async replay({ id }: DeadLetterId): Promise<ReplayedDeadLetter> {
    const { deadLetters } = this.options;
    const outcome = await this.tryAgain(id);
    if (outcome === false) throw deadLetterNotFound();
    if (outcome !== true) await deadLetters.failedAgain(id, outcome.message);
    return { id, replayed: outcome === true, error: outcome === true ? null : truncated(outcome.message) };
  }

  /** False where there is no such letter; the subscriber's error where it failed again. */
  private async tryAgain(id: string): Promise<boolean | Error> {
    const { deadLetters, subscribers } = this.options;
    try {
      return await deadLetters.replay(id, async ({ subscriber, payload }) => {
        const known = subscribers().find(({ name }) => name === subscriber);
        if (!known) throw new Error(`there is no subscriber ${subscriber} any more`);
        await known.apply([payload]);
      });
    } catch (error) {
      return error as Error;
    }
  }

  private async republish({ since }: RepublishEvents): Promise<RepublishedEvents> {
    const { relayRepository } = this.options;
    await relayRepository.republishSince(since);
    const events = await relayRepository.countRepublishing();
    return { since, events };
  }
}
