import { Controller } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Answers, ErasingFacts, type Incoming } from '@posthorn/messaging';

/** The counts are of nobody: only what the messaging keeps may name a person. */
@Controller()
export class ErasuresHandlers {
  constructor(private readonly facts: ErasingFacts) {}

  @Answers(eraseIn.analytics)
  async erase({ caller, body }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    return { done: await this.facts.erase({ ...body, projectId: caller.projectId }) };
  }
}
