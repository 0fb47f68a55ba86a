import { Injectable } from '@nestjs/common';
import { isLockTimeout } from '@posthorn/database';
import { Gatherer } from '@posthorn/messaging';
import type { ContactWrite, WrittenContact } from './contact-write.js';
import { ContactWrites } from './contact-writes.js';
import { ProjectLanes } from './project-lanes.js';

const maxItems = 64;
const maxBytes = 4 * 1024 * 1024;

/** Single writes that arrive during a commit share the next one (docs/decisions/0002-one-statement-accepts.md). */
@Injectable()
export class GatheredWrites {
  private readonly ordinary: ProjectLanes<ContactWrite, WrittenContact>;
  // Opt-outs wait for a call to sending, which must not delay the other writes.
  private readonly optingOut: Gatherer<ContactWrite, WrittenContact>;

  constructor(writes: ContactWrites) {
    const bounds = { maxItems, maxBytes, sizeOf };
    this.ordinary = new ProjectLanes({
      ...bounds,
      flush: async (items, timeout) => (await writes.commit(items, timeout)).map(lockTimeoutOr),
    });
    this.optingOut = new Gatherer({ ...bounds, flush: (items) => writes.commit(items), inFlight: 4 });
  }

  submit(write: ContactWrite): Promise<WrittenContact> {
    return (write.subscribed === false ? this.optingOut : this.ordinary).submit(write);
  }
}

const lockTimeoutOr = (written: WrittenContact): WrittenContact | Error =>
  written.error && isLockTimeout(written.error) ? written.error : written;

const sizeOf = ({ customFields }: ContactWrite): number =>
  customFields ? JSON.stringify(customFields).length : 0;
