import type { Mailbox, Stream } from '@posthorn/contracts';
import type { StoredAttachment } from '../emails/email.entity.js';

/** What was fixed of a message when it was accepted: all that it takes to compose it, whoever asks. */
export interface Composable {
  projectId: string;
  emailId: string;
  contentId: string;
  from: Mailbox;
  to: Mailbox;
  /** Of what is rendered, its source. */
  subject: string;
  html: string;
  text: string | null;
  replyTo: Mailbox | null;
  headers: Record<string, string> | null;
  category: Stream;
  copies: { to?: Mailbox[]; cc?: Mailbox[] } | null;
  templateId: string | null;
  templateVersion: number | null;
  liquid: boolean;
  data: Record<string, unknown> | null;
  /** Name → id of the version that counts. */
  snippets: Record<string, string> | null;
  trackOpens: boolean;
  trackClicks: boolean;
  attachments: StoredAttachment[] | null;
  /** What the contact's fields said at the first claim; null where nobody has asked yet. */
  variables: Record<string, unknown> | null;
  /** When it was accepted, or the time that it was to wait for: the Date of the message. */
  date: Date;
  /** Its retention is over, and nothing is left to send. */
  contentIsMissing?: boolean;
}

/** Of `e`, an e-mail, and `k`, its content; `variables` stand in the row of the first recipient. */
export const composableColumns = `
  json_build_object('email', e.from_email, 'name', e.from_name) AS "from", json_build_object('email', e.to_email, 'name', e.to_name) AS "to",
  coalesce(k.subject, e.subject) AS subject, coalesce(e.scheduled_at, e.created_at) AS date, e.category, e.copies, e.content_id AS "contentId",
  k.html, k.text, k.reply_to AS "replyTo", k.headers, k.template_id AS "templateId", k.template_version AS "templateVersion", k.liquid, k.data, k.snippets,
  k.track_opens AS "trackOpens", k.track_clicks AS "trackClicks", k.attachments`;
