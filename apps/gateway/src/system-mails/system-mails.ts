import { Injectable, Logger } from '@nestjs/common';
import { Database, newId } from '@posthorn/database';
import { Secrets, type SecretLocation } from '@posthorn/platform';
import { Metrics } from '@posthorn/telemetry';
import { MailLimits, type SystemMailKind } from './mail-limits.js';
import { systemMailsDropped } from './system-mails.metrics.js';
import { SystemMailsRepository, type SealedMail } from './system-mails.repository.js';

export interface SystemMail {
  to: string;
  subject: string;
  body: string;
  text: string;
}

/** Mail from Posthorn itself, stored sealed in the transaction of its cause and sent afterwards. */
@Injectable()
export class SystemMails {
  private readonly log = new Logger('SystemMails');
  private readonly dropped;

  constructor(
    private readonly database: Database,
    private readonly rows: SystemMailsRepository,
    private readonly limits: MailLimits,
    private readonly secrets: Secrets,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter(systemMailsDropped);
  }

  /** Joins the ambient transaction. Returns 0, or the seconds until such a mail may be sent to this address again: then it was dropped. */
  send(kind: SystemMailKind, mail: SystemMail, invitingProject?: string): Promise<number> {
    return this.database.transaction(async () => {
      const wait = await this.limits.take(kind, mail.to, invitingProject);
      if (wait > 0) return this.drop(kind, wait);
      const id = newId();
      await this.rows.insert({ id, sealed: this.secrets.seal(JSON.stringify(mail), locationOf(id)) });
      return 0;
    });
  }

  open(sealed: SealedMail): SystemMail {
    return openedMail(this.secrets, sealed);
  }

  private drop(kind: SystemMailKind, wait: number): number {
    this.dropped.inc({ kind });
    this.log.debug(
      `a mail (${kind}) was dropped: its address gets the next one in ${wait} s at the earliest`,
    );
    return wait;
  }
}

export const openedMail = (secrets: Secrets, { id, sealed }: SealedMail): SystemMail =>
  JSON.parse(secrets.open(sealed, locationOf(id))) as SystemMail;

const locationOf = (id: string): SecretLocation => ({ table: 'system_mails', projectId: null, id });
