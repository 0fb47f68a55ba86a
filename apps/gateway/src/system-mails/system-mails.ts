import { Injectable } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { Secrets, type SecretLocation } from '@posthorn/platform';
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
  constructor(
    private readonly rows: SystemMailsRepository,
    private readonly secrets: Secrets,
  ) {}

  /** Joins the ambient transaction. */
  async send(mail: SystemMail): Promise<void> {
    const id = newId();
    await this.rows.insert({ id, sealed: this.secrets.seal(JSON.stringify(mail), locationOf(id)) });
  }

  open({ id, sealed }: SealedMail): SystemMail {
    return JSON.parse(this.secrets.open(sealed, locationOf(id))) as SystemMail;
  }
}

const locationOf = (id: string): SecretLocation => ({ table: 'system_mails', projectId: null, id });
