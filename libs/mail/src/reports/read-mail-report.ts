import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { isAutomaticReply } from './automatic-reply.js';
import { hasBounceSubject, isMailSystem, readBounceText, saysWhatServersSay } from './bounce-text.js';
import { readDeliveryStatus } from './delivery-status.js';
import { readFeedbackReport } from './feedback-report.js';
import { parseFields, type MailReport } from './mail-report.js';
import { reportHead } from './report-head.js';

const maxForwards = 5;
/** In all, since one mail may pass on many. */
const maxMails = 10;
const maxPartDepth = 40;
const maxHeaderBytes = 64 * 1024;
const maxReturned = 64 * 1024;
const maxHtml = 64 * 1024;
const maxSubject = 500;

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
  const head = reportHead(raw);
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
