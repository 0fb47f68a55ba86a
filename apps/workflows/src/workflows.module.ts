import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { Graphs } from './graphs/graphs.read-model.js';
import { GraphsRepository } from './graphs/graphs.repository.js';
import { ExecutionsRepository } from './executions/executions.repository.js';
import { GraphValidation } from './graphs/graph-validation.service.js';
import { GraphsHandlers } from './graphs/graphs.handlers.js';
import { GraphsService } from './graphs/graphs.service.js';
import { WorkflowsHandlers } from './workflows/workflows.handlers.js';
import { WorkflowsRepository } from './workflows/workflows.repository.js';
import { WorkflowsService } from './workflows/workflows.service.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';

@Module({
  controllers: [WorkflowsHandlers, GraphsHandlers, ErasuresHandlers],
  providers: [
    ...onDatabase([WorkflowsRepository, GraphsRepository, Graphs, ExecutionsRepository]),
    WorkflowsService,
    GraphsService,
    GraphValidation,
    ErasuresService,
  ],
})
export class WorkflowsModule {}
