import { hash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import {
  emails,
  parseMailbox,
  serviceCaller,
  systemMailOperation,
  systemProjectId,
  type AcceptSend,
  type Mailbox,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { ConfigError } from '@posthorn/platform';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { GatewayConfig } from '../config.js';
import { SystemMailsRepository, type SealedMail, systemMailWork } from './system-mails.repository.js';
import { SystemMails } from './system-mails.js';

const acceptMs = 2_000;

/** The row's id is also the e-mail id and idempotency key, so a mail sent again after a crash is accepted only once. */
@Injectable()
export class SystemMailsWork implements WorkHandler<object> {
  private readonly log = new Logger('SystemMails');
  private readonly sender: Mailbox;

  constructor(
    config: GatewayConfig,
    private readonly mails: SystemMails,
    private readonly rows: SystemMailsRepository,
    private readonly bus: Bus,
    runner: WorkRunner,
  ) {
    this.sender = senderOf(config);
    runner.register(systemMailWork, this);
  }

  async run({ items: [item] }: WorkBatch): Promise<void> {
    const mail = await this.rows.find(item!.key!);
    if (mail?.tooOld) await this.giveUp(mail.id);
    else if (mail) await this.deliver(mail);
  }

  async dead({ key }: WorkItem): Promise<void> {
    await this.giveUp(key!);
  }

  private async deliver(mail: SealedMail): Promise<void> {
    const caller = serviceCaller('gateway', systemProjectId);
    await this.bus.call(emails.accept, caller, this.sendOf(mail), { timeoutMs: acceptMs });
    await this.rows.remove(mail.id);
  }

  private sendOf(mail: SealedMail): AcceptSend {
    const { to, ...content } = this.mails.open(mail);
    return {
      ...content,
      from: this.sender,
      // The links grant access to accounts, so they must not be tracked; the content is not a template.
      verbatim: true,
      tracking: { opens: false, clicks: false },
      recipients: [{ id: mail.id, to: { email: to } }],
      idempotency: { key: mail.id, operation: systemMailOperation, bodyHash: hash('sha256', mail.id) },
    };
  }

  private async giveUp(id: string): Promise<void> {
    await this.rows.remove(id);
    this.log.error(`system mail ${id} could not be sent within a day and was dropped`);
  }
}

function senderOf({ systemMailFrom }: GatewayConfig): Mailbox {
  const sender = parseMailbox(systemMailFrom);
  if (!sender)
    throw new ConfigError([
      `SYSTEM_MAIL_FROM=${systemMailFrom} must be an address, optionally with a name, such as Posthorn <hello@example.com>`,
    ]);
  return sender;
}
