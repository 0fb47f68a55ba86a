import { Module, type Provider, type Type } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { Graphs } from './workflows/graphs.read-model.js';
import { GraphsRepository } from './workflows/graphs.repository.js';
import { WorkflowsHandlers } from './workflows/workflows.handlers.js';
import { WorkflowsRepository } from './workflows/workflows.repository.js';
import { WorkflowsService } from './workflows/workflows.service.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';

/** Repositories and read models need nothing but the database. */
const onDatabase = (capacity: Type): Provider => ({
  provide: capacity,
  useFactory: (database: Database) => new capacity(database) as object,
  inject: [Database],
});

@Module({
  controllers: [WorkflowsHandlers, ErasuresHandlers],
  providers: [
    ...[WorkflowsRepository, GraphsRepository, Graphs].map(onDatabase),
    Commits,
    WorkflowsService,
    ErasuresService,
  ],
})
export class WorkflowsModule {}
