import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PeopleSecret } from '../identity/people-secret.js';
import { MailRecipientsRepository, type MailLimit } from './mail-recipients.repository.js';

const perKind = {
  confirmation: { anHour: 5, aDay: 10 },
  existingAccount: { anHour: 5, aDay: 10 },
  passwordReset: { anHour: 5, aDay: 10 },
  invitation: { anHour: 10, aDay: 20 },
  // Only owners of the domain's project get it, and nobody can cause it for others.
  domainLost: null,
} satisfies Record<string, MailLimit | null>;

export type SystemMailKind = keyof typeof perKind;

/**
 * Limits mails to an address, whoever asks for them, because anybody can name the address of a stranger. Past the daily number one an hour is
 * sent: links are valid for an hour, so nobody can keep the owner of an address from a link that works.
 */
@Injectable()
export class MailLimits {
  constructor(
    private readonly secret: PeopleSecret,
    private readonly recipients: MailRecipientsRepository,
  ) {}

  /** Counts a mail; 0 if it may be sent, otherwise the seconds until one may. Joins the ambient transaction. */
  async take(kind: SystemMailKind, to: string): Promise<number> {
    const limit = perKind[kind];
    return limit ? this.recipients.take(this.hashOf(to), kind, limit) : 0;
  }

  private hashOf(address: string): string {
    return createHmac('sha256', this.secret.value)
      .update(`system-mails:${mailboxOf(address)}`)
      .digest('hex');
  }
}

/** Without its tag: `ada+1@…` and `ada+2@…` are mostly one mailbox. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const [local] = address.slice(0, at).split('+') as [string];
  return `${local}${address.slice(at)}`.toLowerCase();
}
