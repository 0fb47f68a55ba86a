import type { Attempt, SmtpReply, SmtpStage } from './smtp-attempt.js';

/** Whose mail comes too fast: that of one destination, or all that we hand to this server. */
type SlowDown = 'destination' | 'all';

const words =
  /\btoo (?:many|much|fast|quickly) (?:connections|messages|mails?|e-mails?|recipients|requests)|\btoo (?:fast|quickly)\b|\brate[ -]limit|\bthrottl|\bslow down|\bunusual rate|\bunexpected volume|\bmaximum sending rate|\bsending rate|\btoo many concurrent/i;
const greylisting = /gr[ea]y[ -]?list/i;
/** What servers echo is written by senders and recipients: addresses, domains and quotations say nothing. */
const echoes = /<[^<>]*>|"[^"]*"|(?<!\S)\S*@\S*|\bhttps?:\S+/g;
const stages: Partial<Record<SmtpStage, SlowDown>> = {
  mail: 'all',
  rcpt: 'destination',
  data: 'destination',
  body: 'destination',
  dot: 'destination',
};
const codes = new Set([421, 450, 451, 452, 454]);
/** Policy, or the state of the mail system; not a mailbox or an address (RFC 3463). */
const ofPolicyOrSystem = /^4\.(?:7\.\d+|3\.2|0\.0)$/;

/** RFC 5321 §4.2.3, RFC 3463 X.7.0; greylisting only wants the message to come again. */
export function slowDownOf({
  verdict,
  stage,
  reply,
}: Pick<Attempt, 'verdict' | 'stage' | 'reply'>): SlowDown | null {
  return verdict === 'refused_temporarily' && reply && asksForLess(reply) ? (stages[stage] ?? null) : null;
}

function asksForLess({ code, enhanced, text }: SmtpReply): boolean {
  if (!codes.has(code) || (enhanced !== undefined && !ofPolicyOrSystem.test(enhanced))) return false;
  const own = text.replace(echoes, ' ');
  return words.test(own) && !greylisting.test(own);
}
