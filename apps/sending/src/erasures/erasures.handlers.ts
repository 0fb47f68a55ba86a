import { Controller } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Answers, ErasingFacts, type Incoming } from '@posthorn/messaging';
import { ErasuresService } from './erasures.service.js';

@Controller()
export class ErasuresHandlers {
  constructor(
    private readonly service: ErasuresService,
    private readonly facts: ErasingFacts,
  ) {}

  @Answers(eraseIn.sending)
  async erase({ caller, body }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    const { projectId } = caller;
    const { done } = await this.service.erase(projectId, body);
    // What facts have said goes once nothing more can be said.
    return { done: done && (await this.facts.erase({ ...body, projectId })) };
  }
}
