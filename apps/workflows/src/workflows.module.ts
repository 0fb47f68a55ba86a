import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { purgeOf, WorkQueue } from '@posthorn/work';
import { StatsService } from './counts/stats.service.js';
import { ErasedCallsRepository, ErasedExecutions } from './erasures/erasures.repository.js';
import { ErasuresService, ExecutionErasure, WebhookErasure } from './erasures/erasures.service.js';
import { EngineModule } from './executions/engine.module.js';
import { Executions } from './executions/executions.read-model.js';
import { ExecutionMoves } from './executions/executions.repository.js';
import { ExecutionMovesService, ExecutionsService } from './executions/executions.service.js';
import { OldCallsRepository, OldExecutionsRepository } from './retention/retention.repository.js';
import { AwaitedPurges, OldExecutionsWork } from './retention/retention.work.js';
import { SchedulesWork } from './schedules/schedules.work.js';
import { AudienceSimulations } from './simulations/audience-simulations.service.js';
import { RenderedTexts, SimulationsService } from './simulations/simulations.service.js';
import { FanOuts, FanOutsWork } from './starts/fan-outs.work.js';
import { ManualStarts } from './starts/manual-starts.js';
import { Occurrences, OccurrencesSubscribers } from './starts/occurrences.subscribers.js';
import { StartsRepository } from './starts/starts.repository.js';
import { Starts, StartsWork } from './starts/starts.work.js';
import { WaitsRepository } from './waits/waits.repository.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { DefinitionsModule } from './workflows/definitions.module.js';

const executions = [ExecutionMovesService, ExecutionsService, StatsService];
const starts = [
  ManualStarts,
  FanOuts,
  FanOutsWork,
  Occurrences,
  OccurrencesSubscribers,
  SchedulesWork,
  Starts,
  StartsWork,
];
const simulations = [AudienceSimulations, RenderedTexts, SimulationsService];
const removals = [
  ErasuresService,
  ExecutionErasure,
  WebhookErasure,
  AwaitedPurges,
  purgeOf('workflows.old-calls', OldCallsRepository, (calls) => calls.deleteSome(5_000)),
  OldExecutionsWork,
];

@Module({
  imports: [WebhooksModule, DefinitionsModule, EngineModule],
  providers: [
    ...onDatabase([ExecutionMoves], WorkQueue),
    ...onDatabase([Executions, StartsRepository, WaitsRepository]),
    ...onDatabase([ErasedCallsRepository, ErasedExecutions, OldCallsRepository, OldExecutionsRepository]),
    ...executions,
    ...starts,
    ...simulations,
    ...removals,
  ],
})
export class WorkflowsModule {}
