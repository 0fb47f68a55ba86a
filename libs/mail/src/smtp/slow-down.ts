import type { Attempt, SmtpStage } from './smtp-attempt.js';

/** Whose mail comes too fast: that of one destination, or all that we hand to this server. */
export type SlowDown = 'destination' | 'all';

const words =
  /too (?:many|much|fast|quickly|frequent)|rate[ -]?limit|rate that|throttl|slow(?:ing)? down|exceed|unusual (?:rate|volume|traffic)|unsolicited mail originating|temporarily (?:deferred|rate)|reduce|concurren/i;
const greylisting = /gr[ea]y[ -]?list/i;
const policy = /^4\.7\./;
const stages: Partial<Record<SmtpStage, SlowDown>> = {
  mail: 'all',
  rcpt: 'destination',
  data: 'destination',
  body: 'destination',
  dot: 'destination',
};

/** Whether a reply asks to send less (RFC 5321 §4.2.3, RFC 3463 X.7.0); greylisting only wants the message to come again. */
export function slowDownOf({
  verdict,
  stage,
  reply,
}: Pick<Attempt, 'verdict' | 'stage' | 'reply'>): SlowDown | null {
  if (verdict !== 'refused_temporarily' || !reply || greylisting.test(reply.text)) return null;
  const isMeant =
    reply.code === 421 || (reply.code < 455 && (policy.test(reply.enhanced ?? '') || words.test(reply.text)));
  return isMeant ? (stages[stage] ?? null) : null;
}
