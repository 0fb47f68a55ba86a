import type { Mailbox, EmailCategory } from '@posthorn/contracts';
import {
  buildMessage,
  EngagementTokens,
  manageUrl,
  signMessage,
  trackHtml,
  unsubscribeHeaders,
  unsubscribeUrl,
  unsubscribePrefixes,
  type MailAttachment,
  type SigningKey,
} from '@posthorn/mail';
import { render, type MessageTexts } from '../rendering/liquid/liquid.js';
import { withFooter, type ProjectInMail } from './marketing-footer.js';
import { freeIfLarge } from './array-buffers.js';

/** Composing is a pure function of this, in every thread. Keys, hosts and secrets are those of the attempt; all else was fixed before it. */
export interface ComposeJob {
  projectId: string;
  emailId: string;
  date: Date;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  replyTo: Mailbox | null;
  headers: Record<string, string>;
  category: EmailCategory;
  texts: MessageTexts;
  liquid: { variables: Record<string, unknown>; snippets: Record<string, string>; timeZone?: string } | null;
  project: ProjectInMail;
  listId: string | null;
  topicId: string | null;
  publicUrl: string;
  secretKeys: string[];
  trackOpens: boolean;
  trackClicks: boolean;
  files: MailAttachment[];
  keys: SigningKey[];
}

export interface ComposeResult {
  raw: Uint8Array;
  utf8: boolean;
  texts: MessageTexts;
}

export function compose(job: ComposeJob): ComposeResult {
  const tokens = tokensOf(job.secretKeys);
  const { projectId, emailId, listId, topicId } = job;
  const leaveToken = tokens.forUnsubscribe({ projectId, emailId, email: job.to[0]!.email, listId, topicId });
  const unsubscribeLink = unsubscribeUrl(job.publicUrl, leaveToken);
  const links = { unsubscribe_url: unsubscribeLink, manage_url: manageUrl(job.publicUrl, leaveToken) };
  const own = job.liquid ? rendered(job, job.liquid, links) : job.texts;
  const content = job.category === 'MARKETING' ? leavable(job, own, unsubscribeLink) : own;
  const message = buildMessage({
    messageId: `${job.emailId}@${domainOf(job.from)}`,
    date: job.date,
    from: senderOf(job.from, content),
    to: job.to,
    cc: job.cc,
    replyTo: job.replyTo ? [job.replyTo] : undefined,
    subject: content.subject,
    html: tracked(content.html, job, tokens),
    // The text part is derived from the HTML before links are rewritten, so that readers see the real addresses.
    text: content.text ?? undefined,
    textFrom: content.html,
    headers: [
      ...Object.entries(job.headers),
      feedbackId(job),
      ...(job.category === 'MARKETING' ? unsubscribeHeaders(unsubscribeLink) : []),
    ],
    attachments: job.files,
    boundarySeed: job.emailId,
  });
  const raw = signMessage(message.raw, job.keys, job.date);
  if (raw !== message.raw) freeIfLarge(message.raw);
  return { raw, utf8: message.utf8, texts: content };
}

function rendered(
  job: ComposeJob,
  { variables, snippets, timeZone }: NonNullable<ComposeJob['liquid']>,
  links: Record<string, string>,
): MessageTexts {
  return render(job.texts, {
    variables: { ...variables, ...links },
    snippets,
    now: job.date,
    timeZone,
  });
}

const leavable = ({ publicUrl, project }: ComposeJob, content: MessageTexts, url: string): MessageTexts =>
  withFooter(content, { url, prefixes: unsubscribePrefixes(publicUrl), project });

function senderOf(from: Mailbox, { fromName }: MessageTexts): Mailbox {
  if (fromName === undefined) return from;
  return fromName === '' ? { email: from.email } : { email: from.email, name: fromName };
}

function tracked(
  html: string,
  { publicUrl, projectId, emailId, trackOpens, trackClicks }: ComposeJob,
  tokens: EngagementTokens,
): string {
  if (html === '') return html;
  // All copies have the same bytes, so engagement is counted for the e-mail and not for the copy.
  const delivery = { projectId, emailId, position: 0 };
  return trackHtml(html, {
    base: publicUrl,
    untouched: unsubscribePrefixes(publicUrl),
    openToken: trackOpens ? tokens.forOpen(delivery) : null,
    clickToken: trackClicks ? (url) => tokens.forClick({ ...delivery, url }) : null,
  });
}

const feedbackId = ({ emailId, projectId, category }: ComposeJob): [string, string] => [
  'Feedback-ID',
  `${emailId}:${projectId}:${category.toLowerCase()}:posthorn`,
];

let cached: { secretKeys: string; tokens: EngagementTokens } | null = null;

/** Deriving the keys costs more than composing a message, and they are the same for all messages of a process. */
function tokensOf(secretKeys: string[]): EngagementTokens {
  const joined = secretKeys.join();
  if (cached?.secretKeys !== joined)
    cached = { secretKeys: joined, tokens: new EngagementTokens(secretKeys) };
  return cached.tokens;
}

const domainOf = ({ email }: Mailbox): string => email.slice(email.lastIndexOf('@') + 1);
