import { buildReturnPath } from '@posthorn/mail';
import type { SendingConfig } from '../../config.js';
import type { ComposedMessage } from '../../composing/composer.js';
import type { ClaimedDelivery } from './claims.repository.js';

export interface ReadyMessage {
  message: ClaimedDelivery;
  workerId: string;
  raw: Buffer;
  envelope: { from: string; to: string; utf8: boolean };
  subject: string;
  /** Rendered; null where it is no Liquid. */
  fromName: string | null;
}

/** Bounces return to the sender's own return-path domain where it is set up. */
export function toReadyMessage(
  message: ClaimedDelivery,
  workerId: string,
  { raw, utf8, texts, returnPathDomain }: ComposedMessage,
  config: Pick<SendingConfig, 'returnPathDomain' | 'secretKey'>,
): ReadyMessage {
  const domain = returnPathDomain ?? config.returnPathDomain ?? domainOf(message.from.email);
  const from = buildReturnPath(message, { domain, secret: config.secretKey });
  return {
    message,
    workerId,
    raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
    envelope: { from, to: message.recipient, utf8 },
    subject: texts.subject,
    fromName: texts.fromName ?? null,
  };
}

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

export const composingExpired = {
  failureKind: 'expired',
  error: 'What the message depends on was not available within a day',
} as const;
