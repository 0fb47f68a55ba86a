import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { Admissions } from '../authorities/admissions.js';
import { LendersRepository } from '../authorities/lenders.repository.js';
import { LenderStandings } from '../authorities/standings.js';
import { Cancellations } from '../cancellations/cancellations.js';
import { CancellationsRepository } from '../cancellations/cancellations.repository.js';
import { EffectFence } from '../cancellations/effect-fence.js';
import { CancellationsWork, HistoriesWork, RemovalsWork } from '../cancellations/cancellations.work.js';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { EndedExecutions } from '../executions/executions.repository.js';
import { GraphChecks, GraphReplacement, GraphsService } from '../graphs/graphs.service.js';
import { GraphValidation } from '../graphs/graph-validation.service.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { GraphsRepository } from '../graphs/graphs.repository.js';
import { Schedules, WorkflowChanges } from './workflow-changes.js';
import { ChangesService, Readiness } from './changes.service.js';
import { DocumentsService, NewWorkflows, WorkflowsService } from './workflows.service.js';
import { SegmentReferences } from './segment-references.js';
import { WorkflowsRepository } from './workflows.repository.js';

@Module({
  providers: [
    ...onDatabase([LendersRepository, WorkflowsRepository, GraphsRepository, Graphs]),
    ...onDatabase([CancellationsRepository, EndedExecutions, WorkflowCounts]),
    Admissions,
    Cancellations,
    CancellationsWork,
    ChangesService,
    DocumentsService,
    EffectFence,
    GraphChecks,
    GraphReplacement,
    GraphValidation,
    GraphsService,
    HistoriesWork,
    LenderStandings,
    NewWorkflows,
    Readiness,
    RemovalsWork,
    Schedules,
    SegmentReferences,
    WorkflowChanges,
    WorkflowsService,
  ],
  exports: [
    ...[WorkflowsRepository, GraphsRepository, Graphs, EndedExecutions, WorkflowCounts],
    ...[Admissions, EffectFence, LendersRepository, LenderStandings],
  ],
})
export class DefinitionsModule {}
