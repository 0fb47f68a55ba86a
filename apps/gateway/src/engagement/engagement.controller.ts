import { Controller } from '@nestjs/common';
import { EmailLinks, emailNotFound, engagement } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get } from '../edge/routes/route.js';

@Controller()
export class EngagementController {
  constructor(private readonly bus: Bus) {}

  @Get('emails/:id/links', {
    summary: 'Get the links of an email with their clicks',
    scope: 'emails:read',
    reply: EmailLinks,
    missing: emailNotFound,
  })
  links({ caller, params }: RouteRequest): Promise<EmailLinks> {
    return this.bus.call(engagement.links, caller, { id: params['id']! });
  }
}
