import { expect, it } from '@jest/globals';
import { eventCatalogue } from '@posthorn/contracts';
import { auditedEvents } from './audited-events.js';

/** Events that no audit log tells of, by their reason: what is in neither list has been forgotten. */
const unaudited: Readonly<Record<string, readonly string[]>> = {
  'written in the transaction of the change itself': [
    ...['project.changed', 'member.added', 'member.changed', 'member.removed'].map(
      (name) => `gateway.${name}`,
    ),
    ...['api_key.created', 'api_key.changed', 'api_key.revoked'].map((name) => `gateway.${name}`),
  ],
  'a mail is its own log': [
    ...[
      'accepted',
      'sent',
      'delivered',
      'delayed',
      'bounced',
      'failed',
      'opened',
      'clicked',
      'complained',
      'received',
    ].map((name) => `sending.email.${name}`),
  ],
  'no caller is behind it': [
    'contacts.segment.entered',
    'contacts.segment.left',
    'contacts.event.recorded',
    'campaigns.campaign.sent',
    'campaigns.recipient.failed',
    'workflows.execution.ended',
  ],
  'nothing tells it yet': ['contacts.contacts.bulk_created', 'contacts.list.membership_changed'],
};

it('tells of every event that somebody brings about, or says why not', () => {
  const known = [...auditedEvents.keys(), ...Object.values(unaudited).flat()];
  expect(eventCatalogue.map(({ name }) => name).sort()).toEqual(known.sort());
});
