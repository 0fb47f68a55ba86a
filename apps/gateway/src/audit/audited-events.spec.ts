import { expect, it } from '@jest/globals';
import { eventCatalogue } from '@posthorn/contracts';
import { auditedEvents } from './audited-events.js';

/** Events that are not audited, by reason; the test fails for events in neither list. */
const unaudited: Readonly<Record<string, readonly string[]>> = {
  'audited in the transaction of the change itself': [
    ...['project.changed', 'member.added', 'member.changed', 'member.removed'].map(
      (name) => `gateway.${name}`,
    ),
    ...['api_key.created', 'api_key.changed', 'api_key.revoked'].map((name) => `gateway.${name}`),
  ],
  'e-mails are their own record': [
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
      'unsubscribed',
    ].map((name) => `sending.email.${name}`),
    ...['sent', 'bounced', 'complained'].map((name) => `sending.copy.${name}`),
  ],
  'no caller causes it': [
    'campaigns.campaign.sent',
    'contacts.segment.entered',
    'contacts.segment.left',
    'contacts.event.recorded',
    'sending.usage.warned',
    'workflows.execution.completed',
    'workflows.execution.failed',
    'workflows.webhook.disabled',
  ],
  'its membership is the record': ['contacts.list.pending'],
  'not published yet': ['contacts.contacts.bulk_created', 'contacts.list.membership_changed'],
};

it('every event is audited or listed with the reason why not', () => {
  const known = [...auditedEvents.keys(), ...Object.values(unaudited).flat()];
  expect(eventCatalogue.map(({ name }) => name).sort()).toEqual(known.sort());
});
