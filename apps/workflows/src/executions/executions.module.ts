import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { WorkQueue } from '@posthorn/work';
import { StatsService } from '../counts/stats.service.js';
import { FanOuts } from '../starts/fan-outs.js';
import { FanOutsWork } from '../starts/fan-outs.work.js';
import { Occurrences } from '../starts/occurrences.js';
import { OccurrencesSubscribers } from '../starts/occurrences.subscribers.js';
import { Starts } from '../starts/starts.js';
import { StartsRepository } from '../starts/starts.repository.js';
import { StartsWork } from '../starts/starts.work.js';
import { SchedulesWork } from '../schedules/schedules.work.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { DefinitionsModule } from '../workflows/definitions.module.js';
import { EngineModule } from './engine.module.js';
import { ExecutionMoves } from './execution-moves.repository.js';
import { ExecutionMovesService } from './execution-moves.service.js';
import { Executions } from './executions.read-model.js';
import { ManualStarts } from '../starts/manual-starts.js';
import { ExecutionsService } from './executions.service.js';

@Module({
  imports: [DefinitionsModule, EngineModule],
  providers: [
    ...onDatabase([ExecutionMoves], WorkQueue),
    ...onDatabase([Executions, StartsRepository, WaitsRepository]),
    ExecutionMovesService,
    ExecutionsService,
    ManualStarts,
    FanOuts,
    FanOutsWork,
    Occurrences,
    SchedulesWork,
    Starts,
    StartsWork,
    StatsService,
    OccurrencesSubscribers,
  ],
})
export class ExecutionsModule {}
