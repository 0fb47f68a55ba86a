import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PeopleSecret } from '../identity/people-secret.js';
import { MailRecipientsRepository, type MailLimit } from './mail-recipients.repository.js';

interface KindLimits {
  /** Of one project for invitations, because each of them needs room for its own. */
  perAddress: MailLimit;
  perMailbox: MailLimit;
}

const own: KindLimits = { perAddress: { anHour: 5, aDay: 10 }, perMailbox: { anHour: 20, aDay: 40 } };
const perKind = {
  confirmation: own,
  existingAccount: own,
  passwordReset: own,
  invitation: { perAddress: { anHour: 10, aDay: 20 }, perMailbox: { anHour: 40, aDay: 40 } },
  // Only owners of the project get these, and nobody can cause them for others.
  domainLost: null,
  reputation: null,
  usage: null,
  webhook: null,
} satisfies Record<string, KindLimits | null>;

export type SystemMailKind = keyof typeof perKind;

// Anybody can name the address of a stranger. Past the daily number one mail an hour is sent: links are valid
// for an hour, so nobody can keep the owner of an address from a link that works.
@Injectable()
export class MailLimits {
  constructor(
    private readonly secret: PeopleSecret,
    private readonly recipients: MailRecipientsRepository,
  ) {}

  /** Counts a mail; 0 if it may be sent, otherwise the seconds until one may. Joins the ambient transaction. */
  async take(kind: SystemMailKind, to: string, invitingProject = ''): Promise<number> {
    const limits = perKind[kind];
    if (!limits) return 0;
    const address = this.hashOf(`system-mails-address:${invitingProject} ${to.toLowerCase()}`);
    const mailbox = this.hashOf(`system-mails:${mailboxOf(to)}`);
    return this.recipients.take(kind, mailbox, [
      { recipient: address, ...limits.perAddress },
      { recipient: mailbox, ...limits.perMailbox },
    ]);
  }

  private hashOf(counted: string): string {
    return createHmac('sha256', this.secret.value).update(counted).digest('hex');
  }
}

/** Without its tag: `ada+1@…` and `ada+2@…` are mostly one mailbox. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const [local] = address.slice(0, at).split('+') as [string];
  return `${local}${address.slice(at)}`.toLowerCase();
}
