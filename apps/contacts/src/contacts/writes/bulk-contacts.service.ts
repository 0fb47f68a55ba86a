import { Injectable } from '@nestjs/common';
import { contacts, type BulkContacts, type BulkOutcome } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { requestedBy, type WrittenContact } from './contact-write.js';
import { ContactWrites } from './contact-writes.js';
import { reasonOf } from './refused-row.js';

@Injectable()
export class BulkContactsService {
  constructor(private readonly writes: ContactWrites) {}

  @Handles(contacts.bulk)
  async write({ caller, body, deadline }: Incoming<BulkContacts>): Promise<BulkOutcome> {
    const { projectId } = caller;
    const origin = { ...requestedBy(caller), source: 'BULK' as const };
    return outcomeOf(
      await this.writes.commit(
        body.contacts.map((contact) => ({ ...contact, projectId, inBulk: true, deadline, origin })),
      ),
    );
  }
}

/** An address that occurs twice counts as created or updated once, and as skipped the other time. */
function outcomeOf(written: WrittenContact[]): BulkOutcome {
  const counted = new Set<string>();
  const outcome: BulkOutcome = { created: 0, updated: 0, skipped: 0, errors: [] };
  written.forEach(({ outcome: result, contact, error }, index) => {
    const isFirst = contact !== null && !counted.has(contact.id);
    if (contact) counted.add(contact.id);
    if (!contact) outcome.errors.push({ index, reason: reasonOf(error!) });
    else if (isFirst && result === 'CREATED') outcome.created += 1;
    else if (isFirst && result === 'UPDATED') outcome.updated += 1;
    else outcome.skipped += 1;
  });
  return outcome;
}
