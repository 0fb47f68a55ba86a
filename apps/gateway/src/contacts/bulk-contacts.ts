import { Injectable } from '@nestjs/common';
import { contacts, type BulkContacts, type BulkOutcome } from '@posthorn/contracts';
import { Bus, shareFor } from '@posthorn/messaging';
import type { RouteRequest } from '../routes/route-request.js';

const nothing: BulkOutcome = { created: 0, updated: 0, skipped: 0, errors: [] };

@Injectable()
export class BulkContactWrites {
  constructor(private readonly bus: Bus) {}

  /** An invalid entry is reported by its index and rejects no other. */
  async write({ caller, body, entries }: RouteRequest<BulkContacts>): Promise<BulkOutcome> {
    const { requestIndexes, refused } = entries!;
    const outcome =
      body.contacts.length > 0
        ? await this.bus.call(contacts.bulk, caller, body, { timeoutShare: shareFor(body.contacts.length) })
        : nothing;
    const errors = [
      ...outcome.errors.map(({ index, reason }) => ({ index: requestIndexes[index]!, reason })),
      ...refused.map(({ index, message }) => ({ index, reason: message })),
    ];
    return { ...outcome, errors: errors.sort((a, b) => a.index - b.index) };
  }
}
