import { Injectable } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
import type { ContactWrite, WrittenContact } from './contact-write.js';
import { ContactWrites } from './contact-writes.js';

const maxItems = 64;
const maxBytes = 4 * 1024 * 1024;

/** Writes of single contacts: what arrived meanwhile is one commit (docs/decisions/0002). */
@Injectable()
export class GatheredWrites {
  // One at a time: twice as many rows in a commit cost less than two commits at once (as for accepts).
  private readonly ordinary = this.gatherer(1);
  // They wait for sending, while the others go on.
  private readonly leaving = this.gatherer(4);

  constructor(private readonly writes: ContactWrites) {}

  submit(write: ContactWrite): Promise<WrittenContact> {
    return (write.subscribed === false ? this.leaving : this.ordinary).submit(write);
  }

  private gatherer(inFlight: number): Gatherer<ContactWrite, WrittenContact> {
    return new Gatherer({ flush: (writes) => this.writes.commit(writes), inFlight, maxItems, maxBytes, sizeOf });
  }
}

const sizeOf = ({ customFields }: ContactWrite): number => (customFields ? JSON.stringify(customFields).length : 0);
