import { emailEvents, type EventContract } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type { MailItem } from '../mail-counts/counted.js';

export interface HappenedEvent {
  event: EventContract<object>;
  item: MailItem;
}

const [hourMs, days] = [3_600_000, 60];
const pick = <T>(random: () => number, ...choices: T[]): T => choices[Math.floor(random() * choices.length)]!;

/** What becomes of some e-mails of a project, at instants of the last 60 days, in no order. */
export function mailWorld(random: () => number, mails: number): HappenedEvent[] {
  const ids = Array.from({ length: 3 }, newId);
  const happened = Array.from({ length: mails }, () => ofOneMail(random, ids)).flat();
  return happened
    .map((one) => ({ one, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

function ofOneMail(random: () => number, ids: readonly string[]): HappenedEvent[] {
  const created = Date.now() - random() * days * 24 * hourMs;
  let last = created;
  const later = () => new Date(Math.min(Date.now(), (last += random() * 20 * hourMs)));
  const sourceType = pick(random, 'TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW');
  const base = {
    emailId: newId(),
    to: 'ann@example.org',
    from: pick(random, 'a@example.test', 'b@mail.example.test'),
    sourceType,
    ...(random() < 0.5 ? { destination: pick(random, 'gmail', 'outlook') } : {}),
    ...(random() < 0.3 ? { templateId: pick(random, ...ids) } : {}),
    ...(random() < 0.3 ? { tags: ['spring', 'sale'] } : {}),
    ...(sourceType === 'CAMPAIGN' ? { campaignId: pick(random, ...ids) } : {}),
    ...(sourceType === 'WORKFLOW' ? { metadata: { workflowId: ids[0], stepId: pick(random, ...ids) } } : {}),
  };
  const happened: HappenedEvent[] = [];
  const add = (event: EventContract<object>, more: object = {}) =>
    happened.push({ event, item: { ...base, ...more, at: later() } as MailItem });
  add(emailEvents.accepted, { contactId: null });
  const refused = random() < 0.1;
  if (!refused) add(emailEvents.sent);
  if (refused || random() < 0.1)
    add(emailEvents.bounced, { bounceType: pick(random, 'Permanent', 'Transient'), refused, reason: null });
  else add(emailEvents.delivered);
  if (random() < 0.1) add(emailEvents.delayed, { reason: null });
  if (random() < 0.1) add(emailEvents.complained);
  if (random() < 0.1) add(emailEvents.unsubscribed);
  for (const event of [emailEvents.opened, emailEvents.clicked])
    for (let index = 0; random() < 0.5; index += 1) {
      const isMachine = random() < 0.3;
      const link = event === emailEvents.clicked ? `https://shop.example/${pick(random, 'a', 'b')}` : null;
      add(event, { isMachine, isFirst: !isMachine && index === 0, link });
    }
  return happened;
}
