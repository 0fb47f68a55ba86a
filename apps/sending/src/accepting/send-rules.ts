import {
  attachmentsTooLarge,
  attachmentUnreadable,
  Base64Text,
  maxAttachmentBytes,
  maxRecipients,
  maxScheduleDays,
  scheduledTooFar,
  tooManyRecipients,
  type AcceptSend,
  type Attachment,
  type EmailCategory,
  type Tracking,
} from '@posthorn/contracts';
import type { StoredAttachment } from '../emails/email.entity.js';

export interface ReadAttachment {
  stored: StoredAttachment;
  data: Buffer;
}

const dayMs = 86_400_000;

export function refuseTooManyRecipients({
  recipients,
  alsoTo = [],
  cc = [],
  bcc = [],
}: Pick<AcceptSend, 'alsoTo' | 'cc' | 'bcc'> & { recipients: readonly unknown[] }): void {
  const visible = recipients.length + alsoTo.length + cc.length;
  if (visible > maxRecipients) throw tooManyRecipients('cc');
  if (visible + bcc.length > maxRecipients) throw tooManyRecipients('bcc');
}

/** The caller passes the time of Postgres. A time that has passed means now (docs/api-decisions.md §3). */
export function refuseFarSchedule(scheduledAt: Date | undefined, now: Date): void {
  if (scheduledAt && scheduledAt.getTime() - now.getTime() > maxScheduleDays * dayMs) throw scheduledTooFar();
}

export function readAttachments(attachments: readonly Attachment[]): ReadAttachment[] {
  const read = attachments.map(readAttachment);
  if (read.reduce((sum, { data }) => sum + data.length, 0) > maxAttachmentBytes) throw attachmentsTooLarge();
  return read;
}

function readAttachment(
  { filename, content, contentType, contentId, disposition }: Attachment,
  index: number,
): ReadAttachment {
  const data = decodedBase64(content);
  if (data === null || data.length === 0) throw attachmentUnreadable(index);
  return {
    stored: {
      filename,
      contentType: contentType ?? 'application/octet-stream',
      contentId: contentId ?? null,
      disposition: disposition ?? (contentId === undefined ? 'attachment' : 'inline'),
      size: data.length,
    },
    data,
  };
}

/** Node ignores invalid base64 silently, and an incomplete last group would lose bytes. */
function decodedBase64(content: string | Base64Text): Buffer | null {
  if (content instanceof Base64Text) return content.decodeInPlace();
  const characters = /[\r\n]/.test(content) ? content.replace(/[\r\n]+/g, '') : content;
  const padded = characters.endsWith('=');
  if (padded ? characters.length % 4 !== 0 : characters.length % 4 === 1) return null;
  return Buffer.from(characters, 'base64');
}

/** A message may override the project's setting, but never widen MARKETING_ONLY (docs/api-decisions.md §3). */
export function trackingOf(
  setting: Tracking,
  category: EmailCategory,
  choice: AcceptSend['tracking'],
): { trackOpens: boolean; trackClicks: boolean } {
  if (setting === 'MARKETING_ONLY' && category !== 'MARKETING')
    return { trackOpens: false, trackClicks: false };
  const byDefault = setting !== 'DISABLED';
  return { trackOpens: choice?.opens ?? byDefault, trackClicks: choice?.clicks ?? byDefault };
}
