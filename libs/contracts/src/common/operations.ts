import { request, serviceNames, type ServiceName } from '../schema/contract.js';
import { DomainError } from './errors.js';
import { Count, Flag, Id, Instant, ListOf, Nullable, Text } from '../schema/fields.js';
import { PageEnd, PageQuery } from './page.js';
import { PickFields } from '../schema/shapes.js';

/** An event that one subscriber could not take in after its last try (docs/guarantees.md G18); kept until it is replayed. */
export class DeadLetterEntry {
  @Id() id: string;
  /** The durable consumer, such as `analytics-daily-counts`. */
  @Text(1, 200) subscriber: string;
  @Text(1, 200) fact: string;
  @Id() factId: string;
  @Id() projectId: string;
  /** What the last try said. */
  @Text(0, 2000) error: string;
  /** Tries by itself, replays included. */
  @Count() attempts: number;
  @Instant() firstAt: Date;
  @Instant() lastAt: Date;
}

/** Newest first, by the instant of the first try. */
export class ListDeadLetters extends PageQuery {}

export class DeadLetterEntries extends PageEnd {
  @ListOf(() => DeadLetterEntry, 0, 100) items: DeadLetterEntry[];
}

export class DeadLetterId extends PickFields(DeadLetterEntry, ['id']) {}

/** A replay that fails again leaves its letter where it was, with the new error. */
export class ReplayedDeadLetter extends DeadLetterId {
  @Flag() replayed: boolean;
  @Text(0, 2000) @Nullable() error: string | null;
}

export class RepublishEvents {
  /** Events written since then; older ones than RETENTION_OUTBOX_DAYS are gone. */
  @Instant() since: Date;
}

export class RepublishedEvents extends RepublishEvents {
  /** How many are published once more, in the background; those who took them in already do nothing. */
  @Count() facts: number;
}

/** What an operator can ask of every service; a service answers these by being started, and declares nothing for them. */
const operationsOf = (service: ServiceName) => ({
  listDeadLetters: request(`${service}.dead_letters.list`, ListDeadLetters, DeadLetterEntries),
  /** Runs the subscriber's effect and removes the letter in one transaction; 404 for one that is not there. */
  replayDeadLetter: request(`${service}.dead_letters.replay`, DeadLetterId, ReplayedDeadLetter),
  republish: request(`${service}.facts.republish`, RepublishEvents, RepublishedEvents),
});

export const operations = Object.fromEntries(
  serviceNames.map((service) => [service, operationsOf(service)]),
) as Record<ServiceName, ReturnType<typeof operationsOf>>;

export const deadLetterNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such dead letter');
