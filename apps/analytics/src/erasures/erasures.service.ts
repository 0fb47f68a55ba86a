import { Injectable } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Handles, EventErasure, type Incoming } from '@posthorn/messaging';

/** Counts contain no personal data; only stored events may. */
@Injectable()
export class ErasuresService {
  constructor(private readonly events: EventErasure) {}

  @Handles(eraseIn.analytics)
  async erase({ caller, body }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    return { done: await this.events.erase({ ...body, projectId: caller.projectId }) };
  }
}
