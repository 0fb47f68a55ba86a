import { Injectable } from '@nestjs/common';
import { emails, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

// The gateway waits 1.7 s for the whole answer.
const checkMs = 800;

/** Who a campaign may be sent as is for sending to say; it refuses with a pointer to `/from`. */
@Injectable()
export class Senders {
  constructor(private readonly bus: Bus) {}

  /** A campaign without a sender takes the template's or the project's when it is sent. */
  async refuseUnverified(caller: Caller, from: string | null | undefined): Promise<void> {
    if (from) await this.bus.call(emails.check, caller, { from: { email: from } }, { timeoutMs: checkMs });
  }
}
