import type { EmailBounced, EmailChangedEvent, EmailEngaged } from '../sending/emails.js';

type Data = Record<string, unknown>;

/** What webhooks and conditions see of an email event, as the public specification names it (docs/api-decisions.md §7). */
export const baseOf = (item: EmailChangedEvent): Data => ({
  subject: item.subject ?? '',
  from: item.from ?? '',
  fromName: item.fromName ?? null,
  sesMessageId: item.providerMessageId ?? null,
  emailId: item.emailId,
  templateId: item.templateId ?? null,
  campaignId: item.campaignId ?? null,
  sourceType: item.sourceType,
});

export const sentData = (item: EmailChangedEvent): Data => ({
  ...baseOf(item),
  sentAt: item.at.toISOString(),
});

export const deliveredData = (item: EmailChangedEvent): Data => ({
  ...baseOf(item),
  deliveredAt: item.at.toISOString(),
});

export const openedData = (item: EmailEngaged): Data => ({
  ...baseOf(item),
  openedAt: item.at.toISOString(),
  opens: item.total ?? 1,
  isFirstOpen: item.isFirst,
});

export const clickedData = (item: EmailEngaged): Data => ({
  ...baseOf(item),
  link: item.link ?? '',
  clickedAt: item.at.toISOString(),
  clicks: item.total ?? 1,
  isFirstClick: item.isFirst,
});

export const bouncedData = (item: EmailBounced): Data =>
  item.bounceType === 'Permanent'
    ? { ...baseOf(item), bounceType: 'Permanent', bouncedAt: item.at.toISOString() }
    : { ...baseOf(item), bounceType: 'Transient', transientBounce: true };

export const complainedData = (item: EmailChangedEvent): Data => ({
  ...baseOf(item),
  complainedAt: item.at.toISOString(),
});
