import { hash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  boundedText,
  DomainError,
  emails,
  parseMailbox,
  serviceCaller,
  systemProjectId,
  type AcceptEmails,
  type Mailbox,
} from '@posthorn/contracts';
import { Bus, Loop } from '@posthorn/messaging';
import { ConfigError } from '@posthorn/platform';
import { GatewayConfig } from '../config.js';
import { SystemMails } from './system-mails.js';
import { SystemMailsRepository, type SealedMail } from './system-mails.repository.js';

const everyMs = 1_000;
const atOnce = 5;
const acceptMs = 2_000;

/**
 * Hands system mails to sending, which takes each once: its id and its idempotency key are the row's. Whoever dies between
 * that and the removal of the row leaves it to the next, who is answered the first receipt.
 */
@Injectable()
export class SystemMailDelivery implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('SystemMails');
  private readonly loop: Loop;
  private readonly sender: Mailbox;

  constructor(
    config: GatewayConfig,
    private readonly mails: SystemMails,
    private readonly rows: SystemMailsRepository,
    private readonly bus: Bus,
  ) {
    this.sender = senderOf(config);
    this.loop = new Loop({ everyMs, work: () => this.round(), onError: (error) => this.log.warn((error as Error).message) });
  }

  onApplicationBootstrap(): void {
    this.mails.onRing(() => this.loop.ring());
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async round(): Promise<void> {
    const claimed = await this.rows.claim(atOnce);
    await Promise.all(claimed.map((mail) => this.deliver(mail)));
    if (claimed.length === atOnce) this.loop.ring();
    else await this.forget();
  }

  private async deliver(mail: SealedMail): Promise<void> {
    try {
      const caller = serviceCaller('gateway', systemProjectId);
      await this.bus.call(emails.accept, caller, this.sendOf(mail), { timeoutMs: acceptMs });
      await this.rows.remove(mail.id);
    } catch (error) {
      // Whatever it was, the row stays: its next try is under the same id.
      this.log.warn(`${mail.id} waits after ${mail.tries} tries: ${said(error)}`);
      await this.rows.postpone(mail.id, mail.tries);
    }
  }

  private sendOf(mail: SealedMail): AcceptEmails {
    const { to, ...content } = this.mails.open(mail);
    return {
      ...content,
      from: this.sender,
      // Its links open accounts: they lead nowhere else on their way, and its words are nobody's template.
      verbatim: true,
      tracking: { opens: false, clicks: false },
      recipients: [{ id: mail.id, to: { email: to } }],
      idempotency: { key: mail.id, operation: 'system-mails', bodyHash: hash('sha256', mail.id) },
    };
  }

  private async forget(): Promise<void> {
    const gone = await this.rows.removeOld();
    if (gone > 0) this.log.error(`${gone} system mails could not be sent for a day and were given up`);
  }
}

function senderOf({ systemMailFrom }: GatewayConfig): Mailbox {
  const sender = parseMailbox(systemMailFrom);
  if (!sender) throw new ConfigError([`SYSTEM_MAIL_FROM=${systemMailFrom} must be an address, or a name with one in angle brackets`]);
  return sender;
}

const said = (error: unknown): string =>
  boundedText(error instanceof DomainError ? `${error.code} ${error.message}` : String(error), 1_000);
