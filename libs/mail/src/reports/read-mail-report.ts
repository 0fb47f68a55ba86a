import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { hasBounceSubject, isMailSystem, readBounceText, saysWhatServersSay } from './bounce-text.js';
import { readDeliveryStatus } from './delivery-status.js';
import { readHead } from './read-head.js';
import { parseFields, type MailReport, afterType, dateIn } from './mail-report.js';

const maxForwards = 5;
/** In all, since one mail may pass on many. */
const maxMails = 10;
const maxPartDepth = 40;
const maxHeaderBytes = 64 * 1024;
const maxReturned = 64 * 1024;
const maxHtml = 64 * 1024;
const maxSubject = 500;
/** A report comes before the message that it is about, so a line beyond this one is of no interest. */
const maxLines = 4_000;

interface Budget {
  mails: number;
}

export interface ReportEnvelope {
  /** `MAIL FROM:<>`, to an address that names a message of ours. Vacation replies have it, too (RFC 3834 §3.3). */
  hasNullSender: boolean;
}

/** Null where the mail reports nothing: an automatic reply, a newsletter, or MIME that is nested too deep. */
export const readMailReport = (
  raw: Uint8Array,
  { hasNullSender = false }: Partial<ReportEnvelope> = {},
): Promise<MailReport | null> => readMail(raw, 0, { mails: maxMails }, hasNullSender);

async function readMail(
  raw: Uint8Array,
  forwards: number,
  budget: Budget,
  hasNullSender = false,
): Promise<MailReport | null> {
  budget.mails -= 1;
  const mail = await parse(raw);
  if (!mail) return null;
  const returnPaths = returnPathsIn(mail);
  const feedback = part(mail, 'message/feedback-report');
  if (feedback) {
    const report = readFeedbackReport(textOf(feedback));
    return report && { ...report, returnPaths: [...report.returnPaths, ...returnPaths] };
  }
  const status = part(mail, 'message/delivery-status') ?? part(mail, 'message/global-delivery-status');
  const delivery = status && readDeliveryStatus(textOf(status));
  if (delivery) return { ...delivery, returnPaths };
  const forwarded = await forwardedReport(mail, forwards, budget);
  if (forwarded) return forwarded;
  return readText(mail, returnPaths, { hasStatus: status !== undefined, hasNullSender });
}

async function parse(raw: Uint8Array): Promise<Email | null> {
  const head = readHead(raw, maxLines);
  if (!head) return null;
  try {
    return await PostalMime.parse(head, {
      maxNestingDepth: maxPartDepth,
      maxHeadersSize: maxHeaderBytes,
      forceRfc822Attachments: true,
    });
  } catch {
    // Nested too deep, or headers without end.
    return null;
  }
}

async function forwardedReport(mail: Email, forwards: number, budget: Budget): Promise<MailReport | null> {
  if (forwards >= maxForwards) return null;
  for (const attachment of mail.attachments) {
    if (budget.mails <= 0) return null;
    if (attachment.mimeType !== 'message/rfc822') continue;
    const inner = bytesOf(attachment);
    // The returned message itself is no report; only what a mailbox passes on in full is one.
    if (
      !/message\/(?:delivery-status|feedback-report)/i.test(
        Buffer.from(inner.subarray(0, maxReturned)).toString('latin1'),
      )
    )
      continue;
    const report = await readMail(inner, forwards + 1, budget);
    if (report) return report;
  }
  return null;
}

function readText(
  mail: Email,
  returnPaths: string[],
  { hasStatus, hasNullSender }: ReportEnvelope & { hasStatus: boolean },
): MailReport | null {
  const headers = { get: (name: string) => mail.headers.find(({ key }) => key === name)?.value };
  const subject = (mail.subject ?? '').slice(0, maxSubject);
  const from = {
    address: (mail.from?.address ?? '').slice(0, maxSubject),
    name: (mail.from?.name ?? '').slice(0, maxSubject),
  };
  const failedRecipients = headers.get('x-failed-recipients')?.slice(0, maxSubject);
  // Cut first: a stranger chooses its length.
  const text = mail.text ?? mail.html?.slice(0, maxHtml).replace(/<[^<>]*>/g, ' ') ?? '';
  const isFromServer =
    failedRecipients !== undefined ||
    isMailSystem(from) ||
    (hasNullSender && saysWhatServersSay(subject, text));
  if (isAutomaticReply(headers, subject, { isFromServer, hasReport: hasStatus })) return null;
  if (!hasStatus && !isFromServer && !hasBounceSubject(subject)) return null;
  const report = readBounceText(text);
  const [recipient, ...others] = failedRecipients?.split(',').map((address) => address.trim()) ?? [];
  return report && { ...report, ...(recipient && others.length === 0 ? { recipient } : {}), returnPaths };
}

function returnPathsIn({ attachments }: Email): string[] {
  return attachments
    .filter(({ mimeType }) => mimeType === 'message/rfc822' || mimeType === 'text/rfc822-headers')
    .flatMap((attachment) => {
      const headers = textOf(attachment).split(/\r?\n\r?\n/, 1)[0]!;
      const fields = parseFields(headers);
      return [
        fields.get('return-path'),
        fields.get('x-original-return-path'),
        fields.get('envelope-from'),
      ].flatMap((value) => value?.replace(/^<|>$/g, '') || []);
    });
}

const part = ({ attachments }: Email, type: string): Attachment | undefined =>
  attachments.find(({ mimeType }) => mimeType === type);

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer);

const textOf = (attachment: Attachment): string =>
  Buffer.from(bytesOf(attachment).subarray(0, maxReturned)).toString('utf8');

/** The content of a `message/feedback-report` part (RFC 5965 §3). Null where the reader did not complain. */
function readFeedbackReport(content: string): MailReport | null {
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

interface Headers {
  get(name: string): string | undefined;
}

const automatic = /^(?:auto-replied|auto-notified|auto-generated)\b/i;
const vacation =
  /(?<!\p{L})(?:out of (?:the )?office|automatic reply|auto(?:matic)?[- ]?(?:reply|response|antwort)|automatische antwort|abwesenheit\w{0,20}|away from (?:the|my) (?:office|desk)|on (?:vacation|holiday|leave)|r[ée]ponse automatique|absence du bureau|absent du bureau|respuesta autom[aá]tica|fuera de (?:la )?oficina|risposta automatica|fuori sede|resposta autom[aá]tica|automatisch antwoord|afwezig\w{0,20}|autosvar|automatyczna odpowied[zź]|nieobecno[sś][cć]|автоответ|自动回复|自動回覆|自動応答|不在)(?!\p{L})/iu;

interface Signs {
  /** Only servers report, which name the addresses that failed (Exim), sign as a mail system, or write from no address of what a server said. */
  isFromServer: boolean;
  hasReport: boolean;
}

/** A person's mailbox answers, so the message was delivered. Reports of servers have no reader's subject. */
function isAutomaticReply(headers: Headers, subject: string, { isFromServer, hasReport }: Signs): boolean {
  if (hasReport) return false;
  const submitted = headers.get('auto-submitted') ?? '';
  // Servers say this of their bounces, too, although RFC 3834 §5 has another word for them.
  if (/^auto-replied\b/i.test(submitted) && !isFromServer) return true;
  if (headers.get('x-autoreply') !== undefined || headers.get('x-autorespond') !== undefined) return true;
  if (/auto_reply|vacation/i.test(headers.get('precedence') ?? '')) return true;
  return vacation.test(subject) || (automatic.test(submitted) && vacation.test(headers.get('subject') ?? ''));
}
