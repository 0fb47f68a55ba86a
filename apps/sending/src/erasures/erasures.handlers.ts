import { Controller } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Handles, EventErasure, type Incoming } from '@posthorn/messaging';
import { ErasuresService } from './erasures.service.js';

@Controller()
export class ErasuresHandlers {
  constructor(
    private readonly service: ErasuresService,
    private readonly events: EventErasure,
  ) {}

  @Handles(eraseIn.sending)
  async erase({ caller, body }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    const { projectId } = caller;
    const { done } = await this.service.erase(projectId, body);
    // Events are erased last, when no more of them can be published.
    return { done: done && (await this.events.erase({ ...body, projectId })) };
  }
}
