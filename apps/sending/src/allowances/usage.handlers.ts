import { Controller } from '@nestjs/common';
import {
  allowances,
  usage,
  type GetUsage,
  type SetAllowance,
  type UpdateUsage,
  type Usage,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { UsageService } from './usage.service.js';

@Controller()
export class UsageHandlers {
  constructor(private readonly service: UsageService) {}

  @Handles(usage.get)
  get({ caller }: Incoming<GetUsage>): Promise<Usage> {
    return this.service.get(caller.projectId);
  }

  @Handles(usage.update)
  update({ caller, body }: Incoming<UpdateUsage>): Promise<Usage> {
    return this.service.update(caller.projectId, body);
  }

  @Handles(allowances.set)
  setAllowance({ caller, body }: Incoming<SetAllowance>): Promise<Usage> {
    return this.service.setAllowance(caller.projectId, body);
  }
}
