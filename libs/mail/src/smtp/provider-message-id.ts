import type { SmtpReply } from './smtp-attempt.js';

/** In this order: Postfix, Exim and many relays; Amazon SES; Gmail's relay and Brevo. */
const patterns = [
  /\b(?:queued as|id=|message accepted for delivery[:,]? id=?)\s*<?([\w.+@/-]{4,255})>?/i,
  /^ok\s+([0-9a-f]{8,}-[0-9a-f-]{20,255})$/i,
  /^ok:? (?:queued |accepted )?<([^<>\s]{4,253})>/i,
];

/** By which a provider names the message in reports; null where the reply tells none. */
export function providerMessageIdOf(reply: SmtpReply | undefined): string | null {
  const text = reply?.text.trim() ?? '';
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1];
    if (found) return found;
  }
  return null;
}
