import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { Graphs } from './graphs/graphs.read-model.js';
import { GraphsRepository } from './graphs/graphs.repository.js';
import { WorkflowsHandlers } from './workflows/workflows.handlers.js';
import { WorkflowsRepository } from './workflows/workflows.repository.js';
import { WorkflowsService } from './workflows/workflows.service.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';

@Module({
  controllers: [WorkflowsHandlers, ErasuresHandlers],
  providers: [
    ...onDatabase([WorkflowsRepository, GraphsRepository, Graphs]),
    WorkflowsService,
    ErasuresService,
  ],
})
export class WorkflowsModule {}
