import { Controller } from '@nestjs/common';
import { consents, type ConsentPage, type ListConsents } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ConsentsService } from './consents.service.js';

@Controller()
export class ConsentsHandlers {
  constructor(private readonly service: ConsentsService) {}

  @Handles(consents.list)
  list({ caller, body }: Incoming<ListConsents>): Promise<ConsentPage> {
    return this.service.list(caller.projectId, body);
  }
}
