import { Injectable } from '@nestjs/common';
import { isLockTimeout } from '@posthorn/database';
import { Gatherer } from '@posthorn/messaging';
import type { ContactWrite, WrittenContact } from './contact-write.js';
import { ContactWrites } from './contact-writes.js';
import { ProjectLanes } from './project-lanes.js';

const maxItems = 64;
const maxBytes = 4 * 1024 * 1024;

/** Writes of single contacts: what arrived meanwhile is one commit (docs/decisions/0002). */
@Injectable()
export class GatheredWrites {
  private readonly ordinary: ProjectLanes<ContactWrite, WrittenContact>;
  // They wait for sending, while the others go on.
  private readonly leaving: Gatherer<ContactWrite, WrittenContact>;

  constructor(writes: ContactWrites) {
    const bounds = { maxItems, maxBytes, sizeOf };
    this.ordinary = new ProjectLanes({
      ...bounds,
      flush: async (items, timeouts) => (await writes.commit(items, timeouts)).map(heldUp),
    });
    this.leaving = new Gatherer({ ...bounds, flush: (items) => writes.commit(items), inFlight: 4 });
  }

  submit(write: ContactWrite): Promise<WrittenContact> {
    return (write.subscribed === false ? this.leaving : this.ordinary).submit(write);
  }
}

const heldUp = (written: WrittenContact): WrittenContact | Error =>
  written.error && isLockTimeout(written.error) ? written.error : written;

const sizeOf = ({ customFields }: ContactWrite): number =>
  customFields ? JSON.stringify(customFields).length : 0;
