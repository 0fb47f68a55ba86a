import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { Graphs } from './workflows/graphs.read-model.js';
import { GraphsRepository } from './workflows/graphs.repository.js';
import { WorkflowsHandlers } from './workflows/workflows.handlers.js';
import { WorkflowsRepository } from './workflows/workflows.repository.js';
import { WorkflowsService } from './workflows/workflows.service.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';

@Module({
  controllers: [WorkflowsHandlers, ErasuresHandlers],
  providers: [
    ...onDatabase([WorkflowsRepository, GraphsRepository, Graphs]),
    Commits,
    WorkflowsService,
    ErasuresService,
  ],
})
export class WorkflowsModule {}
