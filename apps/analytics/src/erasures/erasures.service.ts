import { Injectable } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Handles, EventErasure, type Incoming } from '@posthorn/messaging';
import { OldCounts } from '../mail-counts/old-counts.repository.js';

const linksAtOnce = 1_000;

/** Counts contain no personal data; stored events and the texts of links may. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly events: EventErasure,
    private readonly counts: OldCounts,
  ) {}

  @Handles(eraseIn.analytics)
  async erase({ caller, body }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    const { projectId } = caller;
    const events = await this.events.erase({ ...body, projectId });
    const links = await this.counts.erase(projectId, body.email, linksAtOnce);
    return { done: events && links };
  }
}
