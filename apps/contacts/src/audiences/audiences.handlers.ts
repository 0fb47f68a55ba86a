import { Controller } from '@nestjs/common';
import {
  audiences,
  type Audience,
  type AudiencePage,
  type CheckAudience,
  type CheckedAudience,
  type GetAudiencePage,
  type ValidAudience,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { AudiencesService } from './audiences.service.js';

@Controller()
export class AudiencesHandlers {
  constructor(private readonly service: AudiencesService) {}

  @Handles(audiences.validate)
  async validate({ caller, body }: Incoming<Audience>): Promise<ValidAudience> {
    await this.service.read(caller.projectId, body);
    return { isValid: true };
  }

  @Handles(audiences.check)
  check({ caller, body }: Incoming<CheckAudience>): Promise<CheckedAudience> {
    return this.service.check(caller.projectId, body);
  }

  @Handles(audiences.page)
  page({ caller, body }: Incoming<GetAudiencePage>): Promise<AudiencePage> {
    return this.service.page(caller.projectId, body);
  }
}
