import { Controller } from '@nestjs/common';
import {
  AudienceSimulation,
  Simulate,
  SimulateAudience,
  Simulation,
  simulations,
  workflowNotFound,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Post } from '../edge/routes/route.js';

/** Up to a thousand contacts, or mails of several hundred steps. */
const simulationMs = 25_000;

@Controller()
export class SimulationsController {
  constructor(private readonly bus: Bus) {}

  @Post('workflows/:id/simulate', {
    summary: 'Rehearse a workflow for a contact on a virtual clock; nothing is sent, called or changed',
    scope: 'workflows:read',
    onlyReads: true,
    body: Simulate,
    reply: Simulation,
    missing: workflowNotFound,
  })
  run({ caller, params, body }: RouteRequest<Simulate>): Promise<Simulation> {
    const request = { ...body, id: params['id']! };
    return this.bus.call(simulations.run, caller, request, { timeoutMs: simulationMs });
  }

  @Post('workflows/:id/simulate-audience', {
    summary: 'Rehearse a workflow for a sample of contacts: shares of branches and mails a day',
    scope: 'workflows:read',
    onlyReads: true,
    body: SimulateAudience,
    mayBeEmpty: true,
    reply: AudienceSimulation,
    missing: workflowNotFound,
  })
  audience({ caller, params, body }: RouteRequest<SimulateAudience>): Promise<AudienceSimulation> {
    const request = { ...body, id: params['id']! };
    return this.bus.call(simulations.audience, caller, request, { timeoutMs: simulationMs });
  }
}
