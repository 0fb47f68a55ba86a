import { Injectable } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { GatewayConfig } from '../config.js';
import { Sealing } from './sealing.js';
import { SystemMailsRepository, type SealedMail } from './system-mails.repository.js';

export interface SystemMail {
  to: string;
  subject: string;
  /** HTML. */
  body: string;
  text: string;
}

/** Mail that Posthorn itself has to send: stored in the transaction of its cause, under a key, and handed on afterwards. */
@Injectable()
export class SystemMails {
  private readonly sealing: Sealing;
  private listener: () => void = () => undefined;

  constructor(
    config: GatewayConfig,
    private readonly rows: SystemMailsRepository,
  ) {
    this.sealing = new Sealing(config.secretKey, 'posthorn:system-mails');
  }

  /** Joins the ambient transaction. */
  async send(mail: SystemMail): Promise<void> {
    const id = newId();
    await this.rows.insert(id, this.sealing.seal(id, JSON.stringify(mail)));
  }

  open({ id, sealed }: SealedMail): SystemMail {
    return JSON.parse(this.sealing.open(id, sealed)) as SystemMail;
  }

  /** After the commit; without it they go within a second. */
  ring(): void {
    this.listener();
  }

  onRing(listener: () => void): void {
    this.listener = listener;
  }
}
