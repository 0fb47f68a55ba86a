import { Injectable } from '@nestjs/common';
import {
  bouncedData,
  clickedData,
  complainedData,
  contactEvents,
  deliveredData,
  isUuid,
  emailEvents,
  openedData,
  sentData,
  type ContactEvent,
  type CustomEventRecorded,
  type EmailBounced,
  type EmailChangedEvent,
  type EmailEngaged,
  type EventContract,
  type SegmentEvent,
} from '@posthorn/contracts';
import { idOfItem, OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { interest } from '../events/asked-for.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { executionWork, type Arrival } from '../work-kinds.js';
import { FanOuts } from './fan-outs.work.js';

/** What an event does to workflows: it starts those that it triggers, and ends waits for it. Joins the transaction of the inbox. */
@Injectable()
export class Occurrences {
  constructor(
    private readonly fanOuts: FanOuts,
    private readonly waits: WaitsRepository,
    private readonly queue: WorkQueue,
  ) {}

  async apply(projectId: string, arrivals: readonly Arrival[]): Promise<void> {
    if (arrivals.length === 0) return;
    const names = [...new Set(arrivals.map(({ name }) => name))];
    await this.fanOuts.begin(projectId, arrivals);
    await this.endWaits(projectId, names, arrivals);
  }

  private async endWaits(
    projectId: string,
    names: readonly string[],
    arrivals: readonly Arrival[],
  ): Promise<void> {
    const awaited = await this.waits.awaitedNames(projectId, names);
    const relevant = arrivals.filter(({ name }) => awaited.has(name));
    if (relevant.length === 0) return;
    await this.waits.lock(
      projectId,
      relevant.map(({ contactId, name }) => ({ contactId, eventName: name })),
    );
    const ended = await this.waits.arrive(projectId, relevant);
    await this.queue.enqueue(
      executionWork,
      ended.map((key) => ({ projectId, key })),
    );
  }
}

type Data = Record<string, unknown>;
type OfContact = { contactId?: string | null; at: Date };
type Cause = Arrival['cause'];

/** Events that start workflows and end their waits, under the names that the public specification gives them. */
const names: Readonly<Record<string, string | ((item: never) => string)>> = {
  [emailEvents.sent.name]: 'email.sent',
  [emailEvents.delivered.name]: 'email.delivery',
  [emailEvents.opened.name]: 'email.open',
  [emailEvents.clicked.name]: 'email.click',
  [emailEvents.bounced.name]: 'email.bounce',
  [emailEvents.complained.name]: 'email.complaint',
  [contactEvents.subscribed.name]: 'contact.subscribed',
  [contactEvents.unsubscribed.name]: 'contact.unsubscribed',
  [contactEvents.segmentEntered.name]: ({ slug }: SegmentEvent) => `segment.${slug}.entry`,
  [contactEvents.segmentLeft.name]: ({ slug }: SegmentEvent) => `segment.${slug}.exit`,
  [contactEvents.eventRecorded.name]: ({ name }: CustomEventRecorded) => name,
};

function nameOf(item: object, event: string): string {
  const name = names[event]!;
  return typeof name === 'string' ? name : name(item as never);
}

const Occurs = (contract: EventContract): MethodDecorator =>
  OnEachEvent([contract], 'workflows', {
    interestOf: (item, event) => interest('occurrence', nameOf(item, event)),
  });

@Injectable()
export class OccurrencesSubscribers {
  constructor(private readonly occurrences: Occurrences) {}

  @Occurs(emailEvents.sent)
  onSent(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, sentData, causeOfMail);
  }

  @Occurs(emailEvents.delivered)
  onDelivered(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, deliveredData, causeOfMail);
  }

  @Occurs(emailEvents.opened)
  onOpened(event: DomainEvent<EmailEngaged>): Promise<void> {
    return this.apply(onlyFirst(event), openedData);
  }

  @Occurs(emailEvents.clicked)
  onClicked(event: DomainEvent<EmailEngaged>): Promise<void> {
    return this.apply(onlyFirst(event), clickedData);
  }

  @Occurs(emailEvents.bounced)
  onBounced(event: DomainEvent<EmailBounced>): Promise<void> {
    return this.apply(event, bouncedData, causeOfMail);
  }

  @Occurs(emailEvents.complained)
  onComplained(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.apply(event, complainedData, causeOfMail);
  }

  @Occurs(contactEvents.subscribed)
  onSubscribed(event: DomainEvent<ContactEvent>): Promise<void> {
    return this.apply(event, subscriptionData, causeOfChange);
  }

  @Occurs(contactEvents.unsubscribed)
  onUnsubscribed(event: DomainEvent<ContactEvent>): Promise<void> {
    return this.apply(event, subscriptionData, causeOfChange);
  }

  @Occurs(contactEvents.segmentEntered)
  onEntered(event: DomainEvent<SegmentEvent>): Promise<void> {
    return this.apply(event, segmentData, () => 'RECENT');
  }

  @Occurs(contactEvents.segmentLeft)
  onLeft(event: DomainEvent<SegmentEvent>): Promise<void> {
    return this.apply(event, segmentData, () => 'RECENT');
  }

  /** Its payload is fetched when an execution needs it. */
  @Occurs(contactEvents.eventRecorded)
  async onCustom({ projectId, items }: DomainEvent<CustomEventRecorded>): Promise<void> {
    await this.occurrences.apply(
      projectId,
      items.map(({ eventId, name, contactId, at }) => ({ id: eventId, name, contactId, at, data: null })),
    );
  }

  private apply<Item extends OfContact>(
    event: DomainEvent<Item>,
    dataOf: (item: Item) => Data,
    causeOf: (item: Item) => Cause = () => undefined,
  ): Promise<void> {
    const arrivals = event.items.flatMap((item, index): Arrival[] => {
      const { contactId, at } = item;
      return contactId
        ? [
            {
              id: idOfItem(event, index),
              name: nameOf(item, event.origins[index]!.event),
              contactId,
              at,
              data: dataOf(item),
              cause: causeOf(item),
            },
          ]
        : [];
    });
    return this.occurrences.apply(event.projectId, arrivals);
  }
}

/** What people do, and only the first time. */
function onlyFirst({ projectId, items, origins }: DomainEvent<EmailEngaged>): DomainEvent<EmailEngaged> {
  const isFirst = items.map((item) => item.isFirst && !item.isMachine);
  return {
    projectId,
    items: items.filter((_, index) => isFirst[index]),
    origins: origins.filter((_, index) => isFirst[index]),
  };
}

/** What people do with a mail is caused by nobody else. */
function causeOfMail({ sourceType, metadata }: Pick<EmailChangedEvent, 'sourceType' | 'metadata'>): Cause {
  const executionId = metadata?.['executionId'] ?? '';
  return sourceType === 'WORKFLOW' && isUuid(executionId) ? { executionId } : undefined;
}

const causeOfChange = ({ causedBy }: ContactEvent): Cause =>
  causedBy === undefined ? undefined : { executionId: causedBy };

const subscriptionData = ({ contactId, email, subscribed, source = 'API' }: ContactEvent): Data => ({
  contactId,
  email,
  subscribed,
  source,
});

const segmentData = ({ segmentId, name, slug, contactId }: SegmentEvent): Data => ({
  segmentId,
  segmentName: name ?? slug,
  contactId,
});
