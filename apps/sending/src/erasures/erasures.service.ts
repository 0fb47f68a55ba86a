import { Injectable } from '@nestjs/common';
import { type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { ErasedNames } from './erased-names.js';
import { addressPattern } from './address-pattern.js';
import { ErasedAddressesRepository, type Erased } from './erased-addresses.repository.js';
import { ErasedMailRepository, type NamingEmail } from './erased-mail.repository.js';
import { WaitingMail } from './waiting-mail.js';

/** E-mails of one round; each has a few events, and a file has many rows. */
const mailsAtOnce = 200;
const rowsAtOnce = 1_000;

/** Forgets a person: their mail is to a hash from then on, and says nothing. What blocked their address blocks it still. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly hashes: ErasedNames,
    private readonly addresses: ErasedAddressesRepository,
    private readonly mail: ErasedMailRepository,
    private readonly waiting: WaitingMail,
    private readonly outbox: Outbox,
  ) {}

  async erase(projectId: string, { email, contactId }: EraseAddress): Promise<ErasedAddress> {
    const erased = { projectId, email, hash: this.hashes.of(projectId, email), pattern: addressPattern(email) };
    const stopped = await this.database.transaction(() => this.stop(erased, contactId));
    const mails = await this.database.transaction(() => this.rewriteMails(erased));
    const copies = await this.database.transaction(() => this.rewriteCopies(erased));
    this.outbox.ring();
    return { done: stopped && mails && copies };
  }

  /** As a suppression does it: the lock first, so that what is marked later finds nothing to hand over (guarantees.md G8). */
  private async stop(erased: Erased, contactId: string): Promise<boolean> {
    await this.addresses.lock(erased);
    await this.addresses.remember(erased, contactId);
    await this.addresses.hashBlocks(erased);
    await this.addresses.hashInLists(erased);
    return this.waiting.endSome(erased, rowsAtOnce);
  }

  private async rewriteMails(erased: Erased): Promise<boolean> {
    const found = await this.mail.to(erased, mailsAtOnce);
    await this.waiting.end(
      erased,
      found.map(({ id }) => id),
    );
    const [ended, whole] = await this.rewriteAround(erased, found);
    const cleared = whole && (await this.mail.removeFiles(erased, ended, rowsAtOnce)) < rowsAtOnce;
    if (cleared) await this.mail.rewriteMails(erased, ended);
    return cleared && ended.length === found.length && found.length < mailsAtOnce;
  }

  private async rewriteCopies(erased: Erased): Promise<boolean> {
    const found = await this.mail.copiesTo(erased, mailsAtOnce);
    await this.waiting.endCopies(
      erased,
      found.map(({ id }) => id),
    );
    const [ended, whole] = await this.rewriteAround(erased, found);
    if (whole) await this.mail.rewriteCopies(erased, ended);
    return whole && ended.length === found.length && found.length < mailsAtOnce;
  }

  /** All that hangs on e-mails, which are found by their address for as long as any of it is left. What is on its way waits. */
  private async rewriteAround(erased: Erased, found: readonly NamingEmail[]): Promise<[NamingEmail[], boolean]> {
    const open = await this.mail.open(erased, found);
    const ended = found.filter(({ id }) => !open.has(id));
    const events = await this.mail.rewriteEvents(
      erased,
      ended.map(({ id }) => id),
      rowsAtOnce,
    );
    const engagements = await this.mail.rewriteEngagements(erased, ended, rowsAtOnce);
    await this.mail.rewriteReceipts(erased, ended);
    return [ended, Math.max(events, engagements) < rowsAtOnce];
  }
}
