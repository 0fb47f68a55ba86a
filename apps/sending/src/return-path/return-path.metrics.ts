import { counter } from '@posthorn/telemetry';

export const mailReportsTaken = counter(
  'posthorn_mail_reports_total',
  'Mails to return paths, by result: recorded, ignored (a repetition, an automatic reply, no report), refused (it cannot be read) or deferred.',
  ['result'],
);
