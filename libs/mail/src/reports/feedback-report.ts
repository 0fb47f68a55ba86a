import { afterType, dateIn, parseFields, type MailReport } from './mail-report.js';

/** The content of a `message/feedback-report` part (RFC 5965 §3). Null where the reader did not complain. */
export function readFeedbackReport(content: string): MailReport | null {
  const fields = parseFields(content);
  const type = fields.get('feedback-type')?.toLowerCase();
  if (!type || type === 'not-spam' || type === 'dkim' || type === 'auth-failure') return null;
  const host = afterType(fields.get('reporting-mta')) ?? fields.get('user-agent');
  const sender = fields.get('original-mail-from');
  return {
    form: 'arf',
    kind: 'COMPLAINED',
    detail: type.slice(0, 100),
    ...(host ? { host: host.slice(0, 255) } : {}),
    ...dateIn(fields.get('arrival-date') ?? fields.get('received-date')),
    returnPaths: sender ? [sender] : [],
  };
}
