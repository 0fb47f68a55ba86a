import { Injectable } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { EventErasure, Handles, type Incoming } from '@posthorn/messaging';
import { ErasedAddressHasher } from './erased-names.js';
import { addressPattern } from './address-pattern.js';
import { ErasedAddressesRepository, type Erased } from './erased-addresses.repository.js';
import { ErasedMailRepository, type NamingEmail } from './erased-mail.repository.js';
import { WaitingMail } from './waiting-mail.js';

const mailsAtOnce = 200;
const rowsAtOnce = 1_000;

/** Replaces a person's address by its hash and deletes the content of their mail. Suppressions and opt-outs keep their effect. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly hasher: ErasedAddressHasher,
    private readonly addresses: ErasedAddressesRepository,
    private readonly mail: ErasedMailRepository,
    private readonly waiting: WaitingMail,
    private readonly events: EventErasure,
  ) {}

  @Handles(eraseIn.sending)
  async erase({ caller: { projectId }, body }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    // Events are erased last, when no more of them can be published.
    const done = (await this.eraseMail(projectId, body)) && (await this.events.erase({ ...body, projectId }));
    return { done };
  }

  private async eraseMail(projectId: string, { email, contactId, erasedAt }: EraseAddress): Promise<boolean> {
    const erased = {
      projectId,
      email,
      contactId,
      erasedAt,
      hash: this.hasher.hash(projectId, email),
      pattern: addressPattern(email),
    };
    const parts = [
      () => this.block(erased, contactId),
      () => this.stop(erased),
      () => this.rewriteMails(erased),
      () => this.rewriteCopies(erased),
      () => this.hashLate(erased),
    ];
    let done = true;
    for (const part of parts) done = (await this.database.transaction(part)) && done;
    return done;
  }

  /** Blocks all opt-outs of the address meanwhile, so it is short and has a commit of its own. */
  private async block(erased: Erased, contactId: string): Promise<boolean> {
    await this.addresses.lock(erased);
    await this.addresses.remember(erased, contactId);
    await this.addresses.hashBlocks(erased);
    return true;
  }

  /** Takes the lock first, as a suppression does, so that later marks find nothing to hand over (docs/guarantees.md G8). */
  private async stop(erased: Erased): Promise<boolean> {
    await this.addresses.lock(erased);
    return this.waiting.endSome(erased, rowsAtOnce);
  }

  /** Messages in hand-off may have bounced meanwhile. Imports come last and without the address lock: an import locks its row before addresses. */
  private async hashLate(erased: Erased): Promise<boolean> {
    const again = await this.addresses.mayBeValidated(erased);
    await this.addresses.hashInLists(erased);
    await this.addresses.hashValidated(erased);
    await this.addresses.hashBlocks(erased);
    return !again;
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

  /** E-mails are rewritten last, since they are found by the address. Unfinished deliveries wait for the next round. */
  private async rewriteAround(
    erased: Erased,
    found: readonly NamingEmail[],
  ): Promise<[NamingEmail[], boolean]> {
    const open = await this.mail.open(erased, found);
    const ended = found.filter(({ id }) => !open.has(id));
    await this.mail.lockDeliveries(
      erased,
      ended.map(({ id }) => id),
    );
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
