import { Injectable } from '@nestjs/common';
import { emailEvents } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import type { Erased } from './erased-addresses.repository.js';
import { WaitingMailRepository } from './waiting-mail.repository.js';

@Injectable()
export class WaitingMail {
  constructor(
    private readonly rows: WaitingMailRepository,
    private readonly outbox: Outbox,
  ) {}

  async endSome(erased: Erased, limit: number): Promise<boolean> {
    const ids = await this.rows.idsTo(erased, limit);
    const copies = await this.rows.idsOfCopiesTo(erased, limit);
    await this.end(erased, ids);
    await this.endCopies(erased, copies);
    return Math.max(ids.length, copies.length) < limit;
  }

  async end(erased: Erased, ids: string[]): Promise<void> {
    const ended = await this.rows.end(erased, ids);
    const itemOf = ({ id, at, sourceType, campaignId }: (typeof ended)[number]) => ({
      emailId: id,
      to: erased.hash,
      at,
      sourceType,
      ...(campaignId ? { campaignId } : {}),
    });
    const [failed, cancelled] = [
      ended.filter(({ status }) => status === 'FAILED'),
      ended.filter(({ status }) => status === 'CANCELLED'),
    ];
    await this.outbox.publish(emailEvents.cancelled, erased.projectId, cancelled.map(itemOf));
    await this.outbox.publish(
      emailEvents.failed,
      erased.projectId,
      failed.map((email) => ({ ...itemOf(email), failureKind: email.failureKind, reason: email.error })),
    );
  }

  endCopies(erased: Erased, ids: string[]): Promise<void> {
    return this.rows.endCopies(erased, ids);
  }
}
