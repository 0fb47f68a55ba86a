import { Module } from '@nestjs/common';
import { DefinitionsModule } from './workflows/definitions.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { EngineModule } from './executions/engine.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { SimulationsModule } from './simulations/simulations.module.js';
import { ErasuresService } from './erasures/erasures.service.js';

@Module({
  imports: [WebhooksModule, DefinitionsModule, EngineModule, ExecutionsModule, SimulationsModule],
  providers: [ErasuresService],
})
export class WorkflowsModule {}
