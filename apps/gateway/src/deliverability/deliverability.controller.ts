import { Controller } from '@nestjs/common';
import {
  deliverability,
  Deliverability,
  dmarc,
  DmarcOverview,
  JoinFields,
  Optional,
  Text,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { ReportWindow, windowOf } from '../analytics/window.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Get } from '../routes/route.js';

class OfDomain {
  @Text(3, 253) @Optional() domain?: string;
}

class DmarcWindow extends JoinFields(ReportWindow, OfDomain) {}

const report = {
  scope: 'deliverability:read',
  legacyQueryNames: { from: 'startDate', to: 'endDate' },
} as const;

@Controller()
export class DeliverabilityController {
  constructor(
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
  ) {}

  @Get('deliverability', {
    ...report,
    summary: 'Get delivery, bounces and complaints of each domain, the state of its DNS, and what to do',
    query: ReportWindow,
    reply: Deliverability,
  })
  async report({ caller, query }: RouteRequest<object, ReportWindow>): Promise<Deliverability> {
    return this.bus.call(deliverability.overview, caller, windowOf(query, await this.clock.now()));
  }

  @Get('deliverability/dmarc', {
    ...report,
    summary: 'Get what receivers report about mail in the name of the domains (DMARC)',
    query: DmarcWindow,
    reply: DmarcOverview,
  })
  async dmarc({ caller, query }: RouteRequest<object, DmarcWindow>): Promise<DmarcOverview> {
    const { domain, ...range } = query;
    const window = windowOf(range, await this.clock.now());
    return this.bus.call(dmarc.overview, caller, { ...window, ...(domain === undefined ? {} : { domain }) });
  }
}
