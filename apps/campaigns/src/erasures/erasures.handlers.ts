import { Controller } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ErasuresService } from './erasures.service.js';

@Controller()
export class ErasuresHandlers {
  constructor(private readonly service: ErasuresService) {}

  @Handles(eraseIn.campaigns)
  erase({ caller, body }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    return this.service.erase(caller.projectId, body);
  }
}
