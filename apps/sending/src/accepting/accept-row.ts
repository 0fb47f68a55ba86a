import type { AcceptedEmails, Mailbox, EmailCategory } from '@posthorn/contracts';
import type { StoredAttachment } from '../emails/email.entity.js';

export interface AcceptRow {
  projectId: string;
  /** Kind and id. */
  actor: string;
  /** The id of the first e-mail, and the key of the content that all of them share. */
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
  emails: { id: string; contactId: string | null; email: string; name: string | null }[];
  idempotency: { key: string; operation: string; bodyHash: string } | null;
  trace: string | null;
  options: SendOptions;
  files: Buffer[];
}

export interface SendOptions {
  category?: EmailCategory;
  sourceType?: 'WORKFLOW';
  headerRecipients?: { to?: Mailbox[]; cc?: Mailbox[] };
  /** Everybody beside the main recipient, visible or blind; each gets a copy, which is a delivery of its own. */
  additionalRecipients?: string[];
  scheduledAt?: Date;
  templateId?: string | null;
  templateVersion?: number | null;
  liquid?: true;
  subjectTemplate?: string;
  fromNameTemplate?: string;
  data?: object;
  snippetVersions?: Record<string, string>;
  trackOpens: boolean;
  trackClicks: boolean;
  attachments?: StoredAttachment[];
}

const base64Growth = 1.37;

/** Approximate memory in bytes; attachments are base64 in the message. */
export const bytesOf = ({ html, text, files }: AcceptRow): number =>
  html.length +
  (text?.length ?? 0) +
  files.reduce((sum, { length }) => sum + Math.ceil(length * base64Growth), 0);

export function acceptedEmailsOf({ emails, from }: AcceptRow): Omit<AcceptedEmails, 'acceptedAt'> {
  return {
    emails: emails.map(({ id, email, contactId }) => ({ id, to: email, from: from.email, contactId })),
  };
}
