import type { EmailCategory, Mailbox, SourceType } from '@posthorn/contracts';
import type { StoredAttachment } from '../emails/email.entity.js';

export interface StoredMessage {
  projectId: string;
  emailId: string;
  /** The id of the content, which all e-mails of a send share; not a MIME Content-ID. */
  contentId: string;
  /** Null until the first claim where the acceptance asked for no contact, and for people who were erased. */
  contactId: string | null;
  acceptedAt: Date;
  from: Mailbox;
  /** The display name of the sender where it is Liquid. */
  fromNameTemplate: string | null;
  /** To which a campaign was sent. */
  listId: string | null;
  topicId: string | null;
  to: Mailbox;
  subject: string;
  html: string;
  text: string | null;
  replyTo: Mailbox | null;
  headers: Record<string, string> | null;
  category: EmailCategory;
  sourceType: SourceType;
  campaignId: string | null;
  headerRecipients: { to?: Mailbox[]; cc?: Mailbox[] } | null;
  templateId: string | null;
  templateVersion: number | null;
  liquid: boolean;
  data: Record<string, unknown> | null;
  snippetVersions: Record<string, string> | null;
  trackOpens: boolean;
  trackClicks: boolean;
  attachments: StoredAttachment[] | null;
  /** Fields of the contact as they were at the first claim; only in the row of the main recipient, and where Liquid needs them. */
  variables: Record<string, unknown> | null;
  /** The Date header: when the message was accepted, or its scheduled time. */
  date: Date;
  contentIsMissing?: boolean;
}

export const storedMessageColumns = `
  e.contact_id AS "contactId", e.created_at AS "acceptedAt", json_build_object('email', e.from_email, 'name', e.from_name) AS "from", json_build_object('email', e.to_email, 'name', e.to_name) AS "to",
  coalesce(content.subject, e.subject) AS subject, coalesce(e.scheduled_at, e.created_at) AS date, e.category, e.source_type AS "sourceType", e.campaign_id AS "campaignId", e.header_recipients AS "headerRecipients", e.content_id AS "contentId",
  content.from_name AS "fromNameTemplate", content.list_id AS "listId", content.topic_id AS "topicId", content.html, content.text, content.reply_to AS "replyTo", content.headers, content.template_id AS "templateId", content.template_version AS "templateVersion", content.liquid, content.data, content.snippets AS "snippetVersions",
  content.track_opens AS "trackOpens", content.track_clicks AS "trackClicks", content.attachments`;
