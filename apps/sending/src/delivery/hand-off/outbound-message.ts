import { buildReturnPath } from '@posthorn/mail';
import type { ComposedMessage } from '../../composing/composer.js';
import type { ClaimedMessage } from '../claiming/claims.repository.js';

export interface Outbound {
  message: ClaimedMessage;
  raw: Buffer;
  envelope: { from: string; to: string; utf8: boolean };
  subject: string;
}

export interface ReturnPathRules {
  returnPathDomain?: string;
  secret: string;
}

/** Uses the sender's own return-path domain where it is set up. */
export function toOutbound(
  message: ClaimedMessage,
  composed: ComposedMessage,
  { returnPathDomain, secret }: ReturnPathRules,
): Outbound {
  const { raw, utf8, texts } = composed;
  const domain = composed.returnPathDomain ?? returnPathDomain ?? domainOf(message.from.email);
  return {
    message,
    raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
    envelope: { from: buildReturnPath(message.emailId, { domain, secret }), to: message.recipient, utf8 },
    subject: texts.subject,
  };
}

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);
