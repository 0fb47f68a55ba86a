import {
  emailEvents,
  type EmailChangedEvent,
  type EventContract,
  type WebhookEventType,
} from '@posthorn/contracts';
import type { DomainEvent } from '@posthorn/messaging';
import {
  baseOf,
  bouncedData,
  clickedData,
  complainedData,
  deliveredData,
  openedData,
  sentData,
} from '../../events/email-data.js';
import { idOfItem } from '../../events/event-ids.js';
import type { EventToCall } from '../calls/webhook-calls.repository.js';

interface EmailCall {
  contract: EventContract;
  type: WebhookEventType;
  /** Null for what no person did. */
  dataOf: (item: EmailChangedEvent) => object | null;
}

const emailCall = <Item extends EmailChangedEvent>(
  contract: EventContract<Item>,
  type: WebhookEventType,
  dataOf: (item: Item) => object | null,
): EmailCall => ({ contract, type, dataOf }) as unknown as EmailCall;

const emailCalls: readonly EmailCall[] = [
  emailCall(emailEvents.sent, 'email.sent', sentData),
  emailCall(emailEvents.delivered, 'email.delivered', deliveredData),
  emailCall(emailEvents.delayed, 'email.delayed', (item) => ({
    ...{ ...baseOf(item), delayedAt: item.at, reason: item.reason },
  })),
  emailCall(emailEvents.opened, 'email.opened', (item) => (item.isMachine ? null : openedData(item))),
  emailCall(emailEvents.clicked, 'email.clicked', (item) => (item.isMachine ? null : clickedData(item))),
  emailCall(emailEvents.bounced, 'email.bounced', (item) => {
    const { reason, diagnostic = reason } = item;
    return { ...bouncedData(item), reason, diagnostic };
  }),
  emailCall(emailEvents.complained, 'email.complained', complainedData),
  emailCall(emailEvents.failed, 'email.failed', (item) => ({
    ...{ ...baseOf(item), failedAt: item.at, failureKind: item.failureKind, reason: item.reason },
  })),
];

export const calledEmailEvents = emailCalls.map(({ contract }) => contract);
const byName = new Map(emailCalls.map((each) => [each.contract.name, each]));

export const typeOfEmailEvent = (event: string): WebhookEventType => byName.get(event)!.type;

export function emailEventCalls(event: DomainEvent<EmailChangedEvent>): EventToCall[] {
  const { type, dataOf } = byName.get(event.origins[0]!.event)!;
  return event.items.flatMap((item, index) => {
    const data = dataOf(item);
    if (data === null) return [];
    const { to, at, contactId = null, metadata = {} } = item;
    return { id: idOfItem(event, index), type, contactId, at, data: { ...data, contactId, to, metadata } };
  });
}
