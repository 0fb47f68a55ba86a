import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { OwnersReadModel } from '../domains/owners.read-model.js';
import { letter } from '../system-mails/letter.js';
import { SystemMails } from '../system-mails/system-mails.js';
import { limitTexts, percentOf, windowDays, type Counts } from './reputation-rules.js';

const advice =
  'Write only to people who asked for it, remove addresses that bounce, and make unsubscribing easy. The reports in the API show which addresses bounced and who complained.';

const consequence = `At ${limitTexts.bounced} of bounces or ${limitTexts.complained} of complaints the project is disabled, and no more mail is sent.`;
const customary = `Mailbox providers block senders at about ${limitTexts.bounced} of bounces or ${limitTexts.complained} of complaints.`;

/** Tells the owners of a project. Both join the ambient transaction. */
@Injectable()
export class ReputationMails {
  constructor(
    private readonly owners: OwnersReadModel,
    private readonly mails: SystemMails,
    private readonly config: GatewayConfig,
  ) {}

  warn(projectId: string, name: string, counts: Counts): Promise<void> {
    const subject = this.config.reputationDisables
      ? `${name} is close to being disabled`
      : `Too much mail of ${name} bounces`;
    return this.send(projectId, subject, [
      `${resultsOf(counts)} ${this.config.reputationDisables ? consequence : customary}`,
      advice,
    ]);
  }

  disabled(projectId: string, name: string, counts: Counts): Promise<void> {
    return this.send(projectId, `${name} is disabled`, [
      `${resultsOf(counts)} The limits are ${limitTexts.bounced} of bounces and ${limitTexts.complained} of complaints, so the project is disabled. Mail that waits is kept for a day.`,
      `Only the operator of this installation can enable the project again. ${advice}`,
    ]);
  }

  private async send(projectId: string, subject: string, paragraphs: readonly string[]): Promise<void> {
    for (const to of await this.owners.addressesOf(projectId))
      await this.mails.send('reputation', { to, subject, ...letter(paragraphs) });
  }
}

const resultsOf = (counts: Counts): string =>
  `Of the ${counts.sent} messages of the last ${windowDays} days, ${percentOf(counts.bounced, counts)} bounced for good and ${percentOf(counts.complained, counts)} were reported as spam.`;
