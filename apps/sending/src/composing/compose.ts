import type { Mailbox, Stream } from '@posthorn/contracts';
import {
  buildMessage,
  EngagementTokens,
  signMessage,
  trackHtml,
  unsubscribeHeaders,
  unsubscribeUrl,
  waysOut,
  type MailAttachment,
  type SigningKey,
} from '@posthorn/mail';
import { render, type LiquidContent } from '../rendering/liquid/liquid.js';
import { release } from './own-memory.js';

/** All that the bytes of a message depend on: the same of it gives the same bytes, on every attempt and in every thread. */
export interface ComposeJob {
  projectId: string;
  emailId: string;
  /** When it was accepted, or the time that it was to wait for. */
  date: Date;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  replyTo: Mailbox | null;
  headers: Record<string, string>;
  category: Stream;
  texts: LiquidContent;
  /** Null where the words are taken as they stand. */
  liquid: { variables: Record<string, unknown>; snippets: Record<string, string> } | null;
  /** How readers reach us. */
  publicUrl: string;
  /** What the links back are signed with. */
  secretKeys: string[];
  trackOpens: boolean;
  trackClicks: boolean;
  files: MailAttachment[];
  keys: SigningKey[];
}

export interface Composed {
  raw: Uint8Array;
  /** The message needs SMTPUTF8 on its way. */
  utf8: boolean;
  /** As rendered, without what is added for counting. */
  texts: LiquidContent;
}

/** Words, ways out and counting, MIME, signatures: each step sees what the one before made. */
export function compose(job: ComposeJob): Composed {
  const tokens = tokensOf(job.secretKeys);
  const wayOut = unsubscribeUrl(
    job.publicUrl,
    tokens.forUnsubscribe({ projectId: job.projectId, emailId: job.emailId, email: job.to[0]!.email }),
  );
  const content = job.liquid ? rendered(job, job.liquid, wayOut) : job.texts;
  const message = buildMessage({
    messageId: `${job.emailId}@${domainOf(job.from)}`,
    date: job.date,
    from: job.from,
    to: job.to,
    cc: job.cc,
    replyTo: job.replyTo ? [job.replyTo] : undefined,
    subject: content.subject,
    html: counted(content.html, job, tokens),
    // Derived from the words, so that nobody reads where a link leads on its way.
    text: content.text ?? undefined,
    textFrom: content.html,
    headers: [
      ...Object.entries(job.headers),
      feedbackId(job),
      ...(job.category === 'MARKETING' ? unsubscribeHeaders(wayOut) : []),
    ],
    attachments: job.files,
    boundarySeed: job.emailId,
  });
  const raw = signMessage(message.raw, job.keys, job.date);
  if (raw !== message.raw) release(message.raw);
  return { raw, utf8: message.utf8, texts: content };
}

function rendered(
  job: ComposeJob,
  { variables, snippets }: NonNullable<ComposeJob['liquid']>,
  wayOut: string,
): LiquidContent {
  return render(job.texts, {
    variables: { ...variables, unsubscribe_url: wayOut, manage_url: wayOut },
    snippets,
    now: job.date,
  });
}

function counted(
  html: string,
  { publicUrl, projectId, emailId, trackOpens, trackClicks }: ComposeJob,
  tokens: EngagementTokens,
): string {
  if (html === '') return html;
  // Copies have the same bytes, so what is counted is the message.
  const location = { projectId, emailId, position: 0 };
  return trackHtml(html, {
    base: publicUrl,
    untouched: waysOut(publicUrl),
    openToken: trackOpens ? tokens.forOpen(location) : null,
    clickToken: trackClicks ? (url) => tokens.forClick({ ...location, url }) : null,
  });
}

const feedbackId = ({ emailId, projectId, category }: ComposeJob): [string, string] => [
  'Feedback-ID',
  `${emailId}:${projectId}:${category.toLowerCase()}:posthorn`,
];

let known: { ring: string; tokens: EngagementTokens } | null = null;

/** The keys are the same for every message of a process: deriving them costs more than a message. */
function tokensOf(secretKeys: string[]): EngagementTokens {
  const wake = secretKeys.join();
  if (known?.ring !== wake) known = { ring: wake, tokens: new EngagementTokens(secretKeys) };
  return known.tokens;
}

const domainOf = ({ email }: Mailbox): string => email.slice(email.lastIndexOf('@') + 1);
