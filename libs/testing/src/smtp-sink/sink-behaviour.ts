import { oddReply } from './odd-replies.js';

/** The stage at which the sink misbehaves. Stages before MAIL are set by options, later ones by the recipient. */
export type EarlyStage = 'connect' | 'ehlo' | 'starttls' | 'handshake' | 'auth' | 'rset' | 'mail';
export type LateStage = 'mail' | 'rcpt' | 'data' | 'body' | 'dot' | 'accept';

export type SinkFault = Misbehaviour & {
  /** Shown this often per recipient, then never again. */
  times?: number;
};

type Misbehaviour =
  | { kind: 'reply'; text: string }
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'hang' | 'drop' | 'reset' | 'trickle' | 'senseless' | 'unfinished' }
  /** Replies after this many milliseconds, or without a number when `sink.release()` is called. */
  | { kind: 'late'; ms?: number }
  /** Sends the expected reply and an unsolicited one. */
  | { kind: 'extra'; text: string };

export type SinkBehaviour = Partial<Record<LateStage, SinkFault>>;

const stages = 'mail|rcpt|data|body|dot|accept';
const byReply = new RegExp(`^(${stages})-(\\d{3})(?:-(\\d\\.\\d{1,3}\\.\\d{1,3}))?$`);
const byKind = new RegExp(
  `^(hang|drop|reset|trickle|senseless|unfinished|extra|late)-(?:at|after)-(${stages})(?:-(\\d+))?$`,
);
const byOddReply = new RegExp(`^odd-(\\d{3})-(\\d{1,9})-at-(${stages})$`);
const named: Record<string, SinkBehaviour> = {
  'drop-before-dot': { body: { kind: 'drop' } },
  'reset-before-dot': { body: { kind: 'reset' } },
  'drop-after-dot': { dot: { kind: 'drop' } },
  'reset-after-dot': { dot: { kind: 'reset' } },
  'hang-after-dot': { dot: { kind: 'hang' } },
  'senseless-after-dot': { dot: { kind: 'senseless' } },
  'one-byte-a-second': { rcpt: { kind: 'trickle' } },
  'too-fast': { rcpt: { kind: 'reply', text: '451 4.7.650 Too many messages, slow down' } },
  'late-dot': { accept: { kind: 'late' } },
  'reply-before-dot': { body: { kind: 'reply', text: '250 2.0.0 already' } },
};

/**
 * `rcpt-550@…`, `rcpt-550-5.1.1@…`, `data-554@…`, `dot-451@…`, `hang-at-rcpt@…`, `drop-after-accept@…`
 * (stored, then dropped), `late-at-accept-200@…`, `refuse-450-times-3@…`, `odd-550-17-at-rcpt@…` (`oddReply`) and the names above; `+anything` is
 * ignored, anything else is accepted. `…-once@` shows a fault the first time only. At MAIL no recipient is
 * known yet, so `mail-450@…` and the like work as the *sender*.
 */
export function behaviourOf(recipient: string): SinkBehaviour {
  const key = recipient.slice(0, recipient.lastIndexOf('@')).split('+', 1)[0].toLowerCase();
  const once = /^(.+)-once$/.exec(key);
  if (once !== null) return shownOnce(behaviourOf(`${once[1]}@`));
  // Must precede the general forms: `drop-before-dot` concerns the body, not the final dot.
  if (named[key] !== undefined) return named[key];
  const reply = byReply.exec(key);
  if (reply !== null)
    return {
      [reply[1] as LateStage]: {
        kind: 'reply',
        text: `${reply[2]} ${reply[3] ? `${reply[3]} ` : ''}as asked`,
      },
    };
  const odd = byOddReply.exec(key);
  if (odd !== null)
    return { [odd[3] as LateStage]: { kind: 'bytes', bytes: oddReply(odd[1], Number(odd[2])) } };
  const refusals = /^refuse-(\d{3})-times-(\d+)$/.exec(key);
  if (refusals !== null)
    return { rcpt: { kind: 'reply', text: `${refusals[1]} not yet`, times: Number(refusals[2]) } };
  const kind = byKind.exec(key);
  if (kind === null) return {};
  return { [kind[2] as LateStage]: faultOf(kind[1], kind[3]) };
}

function shownOnce(behaviour: SinkBehaviour): SinkBehaviour {
  return Object.fromEntries(
    Object.entries(behaviour).map(([stage, fault]) => [stage, { ...fault, times: 1 }]),
  );
}

function faultOf(kind: string, argument: string | undefined): SinkFault {
  if (kind === 'late') return argument === undefined ? { kind } : { kind, ms: Number(argument) };
  if (kind === 'extra') return { kind, text: '250 2.0.0 nobody asked' };
  return { kind: kind as 'hang' };
}
