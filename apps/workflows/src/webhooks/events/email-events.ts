import {
  emailEvents,
  type EmailBounced,
  type EmailChangedEvent,
  type EventContract,
  type WebhookEventType,
} from '@posthorn/contracts';
import type { EventToCall } from '../calls/webhook-calls.repository.js';

interface EmailCall {
  contract: EventContract;
  type: WebhookEventType;
  /** Null for what no person did. */
  addedOf: (item: EmailChangedEvent) => object | null;
}

const emailCall = <Item extends EmailChangedEvent>(
  contract: EventContract<Item>,
  type: WebhookEventType,
  addedOf: (item: Item) => object | null,
): EmailCall => ({ contract, type, addedOf }) as unknown as EmailCall;

const emailCalls: readonly EmailCall[] = [
  emailCall(emailEvents.sent, 'email.sent', ({ at }) => ({ sentAt: at })),
  emailCall(emailEvents.delivered, 'email.delivered', ({ at }) => ({ deliveredAt: at })),
  emailCall(emailEvents.delayed, 'email.delayed', ({ at, reason }) => ({ delayedAt: at, reason })),
  emailCall(emailEvents.opened, 'email.opened', ({ at, total = 1, isFirst, isMachine }) =>
    isMachine ? null : { openedAt: at, opens: total, isFirstOpen: isFirst },
  ),
  emailCall(emailEvents.clicked, 'email.clicked', ({ at, total = 1, isFirst, isMachine, link }) =>
    isMachine ? null : { link, clickedAt: at, clicks: total, isFirstClick: isFirst },
  ),
  emailCall(emailEvents.bounced, 'email.bounced', bounceOf),
  emailCall(emailEvents.complained, 'email.complained', ({ at }) => ({ complainedAt: at })),
  emailCall(emailEvents.failed, 'email.failed', ({ at, failureKind, reason }) => ({
    ...{ failedAt: at, failureKind, reason },
  })),
];

export const calledEmailEvents = emailCalls.map(({ contract }) => contract);
const byName = new Map(emailCalls.map((each) => [each.contract.name, each]));

export const typeOfEmailEvent = (event: string): WebhookEventType => byName.get(event)!.type;

export function emailEventCalls(event: string, items: readonly EmailChangedEvent[]): EventToCall[] {
  const { type, addedOf } = byName.get(event)!;
  return items.flatMap((item) => {
    const added = addedOf(item);
    if (added === null) return [];
    const { to, at, contactId = null, metadata = {} } = item;
    return { type, contactId, at, data: { ...fieldsOfEmail(item), ...added, contactId, to, metadata } };
  });
}

/** Those that every event of an e-mail has; the names are those of the interface. */
function fieldsOfEmail(item: EmailChangedEvent) {
  const { subject = null, from = null, fromName = null, providerMessageId: sesMessageId = null } = item;
  const { emailId, templateId = null, campaignId = null, sourceType } = item;
  return { subject, from, fromName, sesMessageId, emailId, templateId, campaignId, sourceType };
}

function bounceOf({ bounceType, at }: EmailBounced): object {
  return bounceType === 'Permanent' ? { bounceType, bouncedAt: at } : { bounceType, transientBounce: true };
}
