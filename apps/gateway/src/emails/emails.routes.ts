import {
  addressUnreadable,
  contentNotRetained,
  emailNotFound,
  emailNotPending,
  emailNotScheduled,
  emails,
  engagement,
  explanations,
} from '@posthorn/contracts';
import { get, list, post, remove, routes } from '../routes/calls.js';

const common = { read: 'emails:read', write: 'emails:send', missing: emailNotFound } as const;

export const emailRoutes = routes('emails', common, {
  list: list('emails', emails.list, 'List emails, newest first', { listed: 'flat' }),
  get: get('emails/:id', emails.get, 'Get an email with its delivery history'),
  content: get('emails/:id/content', emails.content, 'Get the content of an email while it is retained', {
    errors: [contentNotRetained],
  }),
  unschedule: remove('emails/:id/schedule', emails.unschedule, 'Cancel a scheduled email', {
    errors: [emailNotScheduled],
  }),
  cancel: post('emails/:id/cancel', emails.cancel, 'Cancel an email that is still PENDING', {
    errors: [emailNotPending],
  }),
});

export const engagementRoutes = routes('engagement', common, {
  links: get('emails/:id/links', engagement.links, 'Get the links of an email with their clicks'),
});

export const explanationRoutes = routes('explanations', common, {
  email: get(
    'emails/:id/explain',
    explanations.email,
    'Explain what happened to an email and what it waits for',
  ),
  recipient: get(
    'recipients/:email/explain',
    explanations.recipient,
    'Explain which mail is sent to an address',
    { missing: addressUnreadable },
  ),
});
