import { Controller } from '@nestjs/common';
import { UpdateUsage, usage, Usage } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get, Patch } from '../edge/routes/route.js';

@Controller()
export class UsageController {
  constructor(private readonly bus: Bus) {}

  @Get('usage', {
    summary: 'Get what the project has sent this month and today, and its limits',
    scope: 'usage:read',
    reply: Usage,
  })
  get({ caller }: RouteRequest): Promise<Usage> {
    return this.bus.call(usage.get, caller, {});
  }

  @Patch('usage', {
    summary: 'Choose whether mail over a limit fails or waits for the next day or month',
    scope: 'projects:write',
    body: UpdateUsage,
    reply: Usage,
  })
  update({ caller, body }: RouteRequest<UpdateUsage>): Promise<Usage> {
    return this.bus.call(usage.update, caller, body);
  }
}
