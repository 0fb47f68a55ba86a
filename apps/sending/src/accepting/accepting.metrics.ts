import { counter } from '@posthorn/telemetry';

export const emailsAccepted = counter(
  'posthorn_emails_accepted_total',
  'E-mails that were accepted, one for each recipient.',
);
