import { Injectable } from '@nestjs/common';
import { emails, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

/** Within the 1.7 s that the gateway waits for the whole call. */
const callTimeoutMs = 800;

/** Senders are checked by sending, whose errors point to `/from`. */
@Injectable()
export class Senders {
  constructor(private readonly bus: Bus) {}

  /** A campaign without a sender takes that of its template or project when it is sent. */
  async refuseUnverified(caller: Caller, from: string | null | undefined): Promise<void> {
    if (from)
      await this.bus.call(emails.check, caller, { from: { email: from } }, { timeoutMs: callTimeoutMs });
  }
}
