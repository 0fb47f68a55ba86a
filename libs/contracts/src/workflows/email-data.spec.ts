import { describe, expect, it } from '@jest/globals';
import type { EmailBounced, EmailEngaged } from '../sending/emails.js';
import {
  bouncedData,
  clickedData,
  complainedData,
  deliveredData,
  openedData,
  sentData,
} from './email-data.js';

const at = new Date('2026-03-01T09:00:00.000Z');
const item = {
  emailId: 'e',
  to: 'ada@example.org',
  at,
  sourceType: 'WORKFLOW' as const,
  subject: 'Hello',
  from: 'news@example.org',
  fromName: 'News',
  providerMessageId: 'p',
  contactId: 'c',
  templateId: null,
  campaignId: null,
  metadata: { order: '7' },
};
const engaged: EmailEngaged = {
  ...item,
  link: 'https://example.org/',
  isFirst: true,
  isMachine: false,
  total: 3,
};
const bounced = (bounceType: EmailBounced['bounceType']): EmailBounced => ({
  ...item,
  bounceType,
  reason: null,
});
/** The members that the public specification gives to every e-mail event. */
const base = {
  subject: 'Hello',
  from: 'news@example.org',
  fromName: 'News',
  sesMessageId: 'p',
  emailId: 'e',
  templateId: null,
  campaignId: null,
  sourceType: 'WORKFLOW',
};
const instant = '2026-03-01T09:00:00.000Z';

describe('the data of an event about an e-mail', () => {
  it.each([
    ['email.sent', sentData(item), { sentAt: instant }],
    ['email.delivery', deliveredData(item), { deliveredAt: instant }],
    ['email.open', openedData(engaged), { openedAt: instant, opens: 3, isFirstOpen: true }],
    [
      'email.click',
      clickedData(engaged),
      { link: 'https://example.org/', clickedAt: instant, clicks: 3, isFirstClick: true },
    ],
    [
      'a permanent email.bounce',
      bouncedData(bounced('Permanent')),
      { bounceType: 'Permanent', bouncedAt: instant },
    ],
    [
      'a soft email.bounce',
      bouncedData(bounced('Transient')),
      { bounceType: 'Transient', transientBounce: true },
    ],
    ['email.complaint', complainedData(item), { complainedAt: instant }],
  ])('%s has the members of the specification and no others', (_, data, added) => {
    expect(data).toEqual({ ...base, ...added });
  });
});
