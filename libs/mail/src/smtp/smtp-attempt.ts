/** The result of one attempt (docs/guarantees.md §1.2). */
export type SmtpVerdict = 'accepted' | 'refused_temporarily' | 'refused' | 'no_reply' | 'ambiguous';

/** Where the conversation ended: `body` before the last byte was written, `dot` after it. */
export type SmtpStage =
  'connect' | 'greeting' | 'ehlo' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot';

export interface SmtpReply {
  code: number;
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
  sessionUsable: boolean;
  /** Why there is no usable reply, such as `lease_lost`, `timeout`, `paused`, `closed` (the pool is) or the socket's error.
   * Beside a reply: `not sent`, where the reply is our own, or why no session could be opened. */
  error?: string;
}

const replyLine = /^(\d{3})(?:[ -]([\s\S]*))?$/;
const enhancedCode = /^([245]\.\d{1,3}\.\d{1,3})(?=\s|$)/;
const continuation = /\r?\n\d{3}[ -](?:[245]\.\d{1,3}\.\d{1,3} )?/g;
const maxText = 1_000;

/** Undefined for an invalid reply; lines of a multi-line reply are joined. */
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

/** As docs/guarantees.md §1.2 says. No reply means a lost connection, a timeout or a protocol violation. */
export function judge(stage: SmtpStage, reply: SmtpReply | undefined): SmtpVerdict {
  const hundreds = reply === undefined ? 0 : Math.floor(reply.code / 100);
  if (hundreds === 4) return 'refused_temporarily';
  // RFC 5321 §4.5.3.1.10: 552 after RCPT means too many recipients or a full mailbox, and is temporary.
  if (hundreds === 5) return stage === 'rcpt' && reply!.code === 552 ? 'refused_temporarily' : 'refused';
  if (stage !== 'dot') return 'no_reply';
  // Only 25x accepts the message: 5 as the second digit is the mail system; 220 and 221 concern the connection (RFC 5321 §4.2.1).
  return reply !== undefined && Math.floor(reply.code / 10) === 25 ? 'accepted' : 'ambiguous';
}
