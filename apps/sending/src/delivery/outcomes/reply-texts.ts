import { boundedText } from '@posthorn/contracts';
import type { Attempt } from '@posthorn/mail';

export const maxErrorText = 1_000;

/** What the server said, with its codes. */
const replyText = ({ reply }: Attempt): string | null =>
  reply ? [reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ') : null;

export const diagnosticOf = (attempt: Attempt): string | null => {
  const text = replyText(attempt);
  return text && boundedText(text, maxErrorText);
};

export function errorText(attempt: Attempt): string | null {
  const { stage, error } = attempt;
  const text = replyText(attempt) ?? error;
  return text ? boundedText(`${stage}: ${text}`, maxErrorText) : null;
}
