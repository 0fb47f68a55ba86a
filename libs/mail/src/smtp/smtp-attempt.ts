/** What one try to hand a message over came to (guarantees §1.2). */
export type SmtpVerdict = 'accepted' | 'refused_for_now' | 'refused' | 'not_accepted' | 'ambiguous';

/** Where the conversation stood; `body` is before the last byte was handed over, `dot` after it. */
export type SmtpStage =
  'connect' | 'greeting' | 'ehlo' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot';

export interface SmtpReply {
  code: number;
  /** RFC 3463, when the server gives one. */
  enhanced?: string;
  text: string;
}

export interface Attempt {
  verdict: SmtpVerdict;
  stage: SmtpStage;
  reply?: SmtpReply;
  host: string;
  tls: boolean;
  durationMs: number;
  /** May the session carry another message? */
  sessionUsable: boolean;
  /** `fenced`, `timeout`, `paused` or the words of the socket, where there is no reply to go by. */
  error?: string;
}

const replyLine = /^(\d{3})(?:[ -]([\s\S]*))?$/;
const enhancedCode = /^([245]\.\d{1,3}\.\d{1,3})(?=\s|$)/;
const continuation = /\r?\n\d{3}[ -](?:[245]\.\d{1,3}\.\d{1,3} )?/g;
const maxText = 1_000;

/** Undefined for what is no reply at all; the text of a reply of several lines is joined. */
export function parseReply(response: string | undefined): SmtpReply | undefined {
  const match = response === undefined ? null : replyLine.exec(response);
  if (match === null) return undefined;
  const rest = match[2] ?? '';
  const enhanced = enhancedCode.exec(rest)?.[1];
  const text = (enhanced === undefined ? rest : rest.slice(enhanced.length + 1))
    .replace(continuation, ' ')
    .trim()
    .slice(0, maxText);
  return enhanced === undefined
    ? { code: Number(match[1]), text }
    : { code: Number(match[1]), enhanced, text };
}

/** The table of guarantees §1.2. No reply stands for a lost connection, a timeout or a breach of protocol. */
export function judge(stage: SmtpStage, reply: SmtpReply | undefined): SmtpVerdict {
  const hundreds = reply === undefined ? 0 : Math.floor(reply.code / 100);
  if (hundreds === 4) return 'refused_for_now';
  // RFC 5321 §4.5.3.1.10: 552 to RCPT is "too many recipients" or a full mailbox, to be tried again.
  if (hundreds === 5) return stage === 'rcpt' && reply!.code === 552 ? 'refused_for_now' : 'refused';
  if (stage !== 'dot') return 'not_accepted';
  // x5z is the mail system; 220 or 221 after the dot speak of the channel and say nothing of the message (RFC 5321 §4.2.1).
  return reply !== undefined && Math.floor(reply.code / 10) === 25 ? 'accepted' : 'ambiguous';
}
