import { Injectable } from '@nestjs/common';
import { emailFacts, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import { AddressHashes } from './address-hashes.js';
import { addressPattern } from './address-pattern.js';
import { ErasedAddressesRepository, type Erased } from './erased-addresses.repository.js';
import { ErasedMailRepository, type NamingEmail } from './erased-mail.repository.js';
import { WaitingMailRepository, type EndedEmail } from './waiting-mail.repository.js';

/** E-mails of one round; each has a few events, and a file has many rows. */
const mailsAtOnce = 200;
const rowsAtOnce = 1_000;

/** Forgets a person: their mail is to a hash from then on, and says nothing. What blocked their address blocks it still. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly hashes: AddressHashes,
    private readonly suppressions: SuppressionsRepository,
    private readonly rooms: ErasureRooms,
    private readonly outbox: Outbox,
  ) {}

  async erase(projectId: string, { email, contactId }: EraseAddress): Promise<ErasedAddress> {
    const erased = { projectId, email, hash: this.hashes.of(projectId, email), pattern: addressPattern(email) };
    const stopped = await this.database.transaction(() => this.stop(erased, contactId));
    const mails = await this.database.transaction(() => this.rewriteMails(erased));
    const copies = await this.database.transaction(() => this.rewriteCopies(erased));
    // Here what facts have said goes, too, once nothing more can be said: outbox, dead letters and JetStream's copies.
    this.outbox.ring();
    return { done: stopped && mails && copies };
  }

  /** As a suppression does it: the lock first, so that what is marked later finds nothing to hand over (guarantees.md G8). */
  private async stop(erased: Erased, contactId: string): Promise<boolean> {
    const { addresses, waiting } = this.rooms;
    await this.suppressions.lock(erased.projectId, erased.email);
    await addresses.remember(erased, contactId);
    await addresses.hashBlocks(erased);
    await addresses.hashInLists(erased);
    const ids = await waiting.idsTo(erased, rowsAtOnce);
    const copies = await waiting.idsOfCopiesTo(erased, rowsAtOnce);
    await this.tell(erased, await waiting.end(erased, ids));
    await waiting.endCopies(erased, copies);
    return Math.max(ids.length, copies.length) < rowsAtOnce;
  }

  private async rewriteMails(erased: Erased): Promise<boolean> {
    const { mail, waiting } = this.rooms;
    const found = await mail.to(erased, mailsAtOnce);
    await this.tell(
      erased,
      await waiting.end(
        erased,
        found.map(({ id }) => id),
      ),
    );
    const [ended, whole] = await this.rewriteAround(erased, found);
    const cleared = whole && (await mail.removeFiles(erased, ended, rowsAtOnce)) < rowsAtOnce;
    if (cleared) await mail.rewriteMails(erased, ended);
    return cleared && ended.length === found.length && found.length < mailsAtOnce;
  }

  private async rewriteCopies(erased: Erased): Promise<boolean> {
    const { mail, waiting } = this.rooms;
    const found = await mail.copiesTo(erased, mailsAtOnce);
    await waiting.endCopies(
      erased,
      found.map(({ id }) => id),
    );
    const [ended, whole] = await this.rewriteAround(erased, found);
    if (whole) await mail.rewriteCopies(erased, ended);
    return whole && ended.length === found.length && found.length < mailsAtOnce;
  }

  /** All that hangs on e-mails, which are found by their address for as long as any of it is left. What is on its way waits. */
  private async rewriteAround(erased: Erased, found: readonly NamingEmail[]): Promise<[NamingEmail[], boolean]> {
    const { mail } = this.rooms;
    const open = await mail.open(erased, found);
    const ended = found.filter(({ id }) => !open.has(id));
    const events = await mail.rewriteEvents(
      erased,
      ended.map(({ id }) => id),
      rowsAtOnce,
    );
    const engagements = await mail.rewriteEngagements(erased, ended, rowsAtOnce);
    await mail.rewriteReceipts(erased, ended);
    return [ended, Math.max(events, engagements) < rowsAtOnce];
  }

  private async tell({ projectId, hash }: Erased, ended: readonly EndedEmail[]): Promise<void> {
    const items = ended.map(({ id, at, sourceType }) => ({ emailId: id, to: hash, at, sourceType }));
    const failed = ended.flatMap(({ status, failureKind, error }, place) =>
      status === 'FAILED' ? [{ ...items[place]!, failureKind, reason: error }] : [],
    );
    await this.outbox.publish(
      emailFacts.cancelled,
      projectId,
      items.filter((_, place) => ended[place]!.status === 'CANCELLED'),
    );
    await this.outbox.publish(emailFacts.failed, projectId, failed);
  }
}

/** Where what is held of a person lies. */
@Injectable()
export class ErasureRooms {
  constructor(
    readonly addresses: ErasedAddressesRepository,
    readonly mail: ErasedMailRepository,
    readonly waiting: WaitingMailRepository,
  ) {}
}
