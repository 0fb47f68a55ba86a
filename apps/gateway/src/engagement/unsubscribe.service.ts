import { Injectable } from '@nestjs/common';
import { contacts, serviceCaller, type Caller } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { Bus } from '@posthorn/messaging';

@Injectable()
export class UnsubscribeService {
  constructor(private readonly bus: Bus) {}

  /** After it returns, no marketing mail to the address is handed off. */
  async unsubscribe(
    { projectId, email }: UnsubscribeTarget,
    client: Pick<Caller, 'address' | 'userAgent'>,
  ): Promise<void> {
    await this.bus.call(
      contacts.unsubscribe,
      { ...serviceCaller('gateway', projectId), ...client },
      { email },
    );
  }
}
