import { Controller } from '@nestjs/common';
import {
  simulations,
  type AudienceSimulation,
  type SimulateAudienceOf,
  type SimulateWorkflow,
  type Simulation,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { AudienceSimulations } from './audience-simulations.service.js';
import { SimulationsService } from './simulations.service.js';

@Controller()
export class SimulationsHandlers {
  constructor(
    private readonly service: SimulationsService,
    private readonly audiences: AudienceSimulations,
  ) {}

  @Handles(simulations.run)
  run({ caller, body }: Incoming<SimulateWorkflow>): Promise<Simulation> {
    return this.service.run(caller, body);
  }

  @Handles(simulations.audience)
  audience({ caller, body, deadline }: Incoming<SimulateAudienceOf>): Promise<AudienceSimulation> {
    return this.audiences.run(caller, body, deadline);
  }
}
