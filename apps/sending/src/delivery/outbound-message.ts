import { domainOf } from '@posthorn/contracts';
import { buildMessage, buildReturnPath, type BuiltMessage } from '@posthorn/mail';
import type { ClaimedMessage } from './claims.repository.js';

export interface Outbound {
  message: ClaimedMessage;
  raw: Buffer;
  envelope: { from: string; to: string; utf8: boolean };
}

export interface Identity {
  returnPathDomain?: string;
  secret: string;
}

/** Builds what goes out. Everything in it was fixed at acceptance, so that a repeat has the same Message-ID and the same bytes. */
export function buildOutbound(message: ClaimedMessage, { returnPathDomain, secret }: Identity): Outbound {
  const domain = domainOf(message.from.email);
  const { raw, utf8 }: BuiltMessage = buildMessage({
    messageId: `${message.emailId}@${domain}`,
    date: message.createdAt,
    from: named(message.from),
    to: [named(message.to)],
    replyTo: message.replyTo ? [named(message.replyTo)] : undefined,
    subject: message.subject,
    html: message.html,
    text: message.text ?? undefined,
    headers: [...Object.entries(message.headers ?? {}), ['Feedback-ID', `${message.emailId}:${message.projectId}:transactional:posthorn`]],
    boundarySeed: message.emailId,
  });
  const from = buildReturnPath(message.emailId, { domain: returnPathDomain ?? domain, secret });
  return { message, raw, envelope: { from, to: message.recipient, utf8 } };
}

const named = ({ email, name }: { email: string; name?: string | null }) => (name ? { email, name } : { email });
