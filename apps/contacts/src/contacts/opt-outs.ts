import { Injectable } from '@nestjs/common';
import { optOuts, serviceCaller, type OptOut } from '@posthorn/contracts';
import { Bus, shareFor } from '@posthorn/messaging';
import { OptOutsRepository } from './opt-outs.repository.js';

/** Shorter than the caller's deadline, so that the caller still hears that nothing changed. */
const ownShare = 0.6;
const maxPerCall = 500;

/** Stores in sending who wants no marketing mail, before the change commits here (docs/decisions/0020-opt-outs-inside-the-transaction.md). */
@Injectable()
export class OptOuts {
  constructor(
    private readonly bus: Bus,
    private readonly rows: OptOutsRepository,
  ) {}

  async put(projectId: string, ...put: OptOut[]): Promise<void> {
    const contactIds = put.flatMap(({ contactId }) => (contactId ? [contactId] : []));
    if (contactIds.length > 0) await this.rows.keepUnsubscribed(projectId, contactIds);
    const caller = serviceCaller('contacts', projectId);
    for (let first = 0; first < put.length; first += maxPerCall) {
      const batch = { optOuts: put.slice(first, first + maxPerCall) };
      await this.bus.call(optOuts.put, caller, batch, {
        timeoutShare: ownShare * shareFor(batch.optOuts.length),
      });
    }
  }
}
