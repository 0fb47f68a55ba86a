import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { AuthoritiesModule } from '../authorities/authorities.module.js';
import { Cancellations } from '../cancellations/cancellations.js';
import { CancellationsRepository } from '../cancellations/cancellations.repository.js';
import { CancellationsWork } from '../cancellations/cancellations.work.js';
import { HistoriesWork } from '../cancellations/histories.work.js';
import { RemovalsWork } from '../cancellations/removals.work.js';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { EndedExecutions } from '../executions/ended-executions.repository.js';
import { GraphChecks } from '../graphs/graph-checks.js';
import { GraphReplacement } from '../graphs/graph-replacement.js';
import { GraphValidation } from '../graphs/graph-validation.service.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { GraphsRepository } from '../graphs/graphs.repository.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { Schedules } from '../schedules/schedules.js';
import { ChangesService } from './changes.service.js';
import { DocumentsService } from './documents.service.js';
import { NewWorkflows } from './new-workflows.js';
import { Readiness } from './readiness.js';
import { SegmentReferences } from './segment-references.js';
import { WorkflowChanges } from './workflow-changes.js';
import { WorkflowsRepository } from './workflows.repository.js';
import { WorkflowsService } from './workflows.service.js';

@Module({
  imports: [AuthoritiesModule],
  providers: [
    ...onDatabase([WorkflowsRepository, GraphsRepository, Graphs]),
    ...onDatabase([CancellationsRepository, EndedExecutions, WorkflowCounts]),
    Cancellations,
    CancellationsWork,
    ChangesService,
    DocumentsService,
    GraphChecks,
    GraphReplacement,
    GraphValidation,
    GraphsService,
    HistoriesWork,
    NewWorkflows,
    Readiness,
    RemovalsWork,
    Schedules,
    SegmentReferences,
    WorkflowChanges,
    WorkflowsService,
  ],
  exports: [
    ...[WorkflowsRepository, GraphsRepository, Graphs, Schedules, EndedExecutions, WorkflowCounts],
    AuthoritiesModule,
  ],
})
export class DefinitionsModule {}
