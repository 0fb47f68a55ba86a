import type { AcceptedEmails, Mailbox, Stream } from '@posthorn/contracts';
import type { StoredAttachment } from '../emails/email.entity.js';

/** One call ready to be stored: its sender is known, its rows have their ids. */
export interface AcceptRow {
  projectId: string;
  contentId: string;
  from: { email: string; name: string | null };
  subject: string;
  html: string;
  text: string | null;
  replyTo: object | null;
  headers: object | null;
  tags: string[];
  metadata: object;
  deadline: Date | null;
  recipients: { id: string; contactId: string | null; email: string; name: string | null }[];
  claim: { key: string; operation: string; bodyHash: string } | null;
  /** Where its request is recorded; null where it is not. */
  trace: string | null;
  /** What a plain send leaves out. */
  options: SendOptions;
  /** The bytes of the attachments, in order. */
  files: Buffer[];
}

export interface SendOptions {
  category?: Stream;
  copies?: { to?: Mailbox[]; cc?: Mailbox[] };
  /** Who is sent a copy, seen or blind: one delivery each. */
  copyRecipients?: string[];
  scheduledAt?: Date;
  templateId?: string | null;
  templateVersion?: number | null;
  liquid?: true;
  /** The source of the subject, where it is rendered. */
  subject?: string;
  data?: object;
  snippets?: Record<string, string>;
  trackOpens: boolean;
  trackClicks: boolean;
  attachments?: StoredAttachment[];
}

const base64Growth = 1.37;

/** What it takes to hold the message: files travel in base64. */
export const bytesOf = ({ html, text, files }: AcceptRow): number =>
  html.length +
  (text?.length ?? 0) +
  files.reduce((sum, { length }) => sum + Math.ceil(length * base64Growth), 0);

export function receiptOf({ recipients, from }: AcceptRow): Omit<AcceptedEmails, 'acceptedAt'> {
  return {
    emails: recipients.map(({ id, email, contactId }) => ({ id, to: email, from: from.email, contactId })),
  };
}
