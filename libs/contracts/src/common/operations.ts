import { query, request, serviceNames, type ServiceName } from '../schema/contract.js';
import { DomainError } from './errors.js';
import { Count, Flag, Id, Instant, ListOf, Nullable, Text } from '../schema/fields.js';
import { PageEnd, PageQuery } from './page.js';
import { PickFields } from '../schema/shapes.js';

/** An event that failed the last attempt of a subscriber (docs/guarantees.md G18); kept until replayed. */
export class DeadLetterEntry {
  @Id() id: string;
  /** The subscriber, such as `analytics-counts-sending-email-sent`. */
  @Text(1, 200) subscriber: string;
  @Text(1, 200) event: string;
  @Id() eventId: string;
  @Id() projectId: string;
  @Text(0, 2000) error: string;
  @Count() attempts: number;
  @Instant() firstAt: Date;
  @Instant() lastAt: Date;
}

export class ListDeadLetters extends PageQuery {}

export class DeadLetterEntries extends PageEnd {
  @ListOf(() => DeadLetterEntry, 0, 100) items: DeadLetterEntry[];
}

export class DeadLetterId extends PickFields(DeadLetterEntry, ['id']) {}

/** When the replay fails again, the dead letter stays and holds the new error. */
export class ReplayedDeadLetter extends DeadLetterId {
  @Flag() replayed: boolean;
  @Text(0, 2000) @Nullable() error: string | null;
}

export class RepublishEvents {
  /** Events written since then; events older than RETENTION_OUTBOX_DAYS are no longer stored. */
  @Instant() since: Date;
}

export class RepublishedEvents extends RepublishEvents {
  /** Events published again in the background; subscribers that have processed them ignore the repeat. */
  @Count() events: number;
}

/** Operator requests that every service answers without declaring them. */
const operationsOf = (service: ServiceName) => ({
  listDeadLetters: query(`${service}.dead_letters.list`, ListDeadLetters, DeadLetterEntries),
  /** Runs the subscriber and removes the dead letter in one transaction; 404 if there is none. */
  replayDeadLetter: request(`${service}.dead_letters.replay`, DeadLetterId, ReplayedDeadLetter),
  republish: request(`${service}.events.republish`, RepublishEvents, RepublishedEvents),
});

export const operations = Object.fromEntries(
  serviceNames.map((service) => [service, operationsOf(service)]),
) as Record<ServiceName, ReturnType<typeof operationsOf>>;

export const deadLetterNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such dead letter');
