import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ExecutionsRepository } from './executions/executions.repository.js';
import { DefinitionsModule } from './workflows/definitions.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { ExecutionsModule } from './executions/executions.module.js';
import { SimulationsModule } from './simulations/simulations.module.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';

@Module({
  imports: [WebhooksModule, DefinitionsModule, ExecutionsModule, SimulationsModule],
  controllers: [ErasuresHandlers],
  providers: [
    ...onDatabase([ExecutionsRepository]),
    ErasuresService,
  ],
})
export class WorkflowsModule {}
