import { Controller } from '@nestjs/common';
import {
  executions,
  type Execution,
  type ExecutionId,
  type ExecutionPage,
  type ExecutionWithSteps,
  type ListExecutions,
  type StartExecutionOf,
  type WorkflowId,
  type WorkflowStats,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Admissions } from '../authorities/admissions.js';
import { StatsService } from '../counts/stats.service.js';
import { ExecutionMovesService } from './execution-moves.service.js';
import { ManualStarts } from '../starts/manual-starts.js';
import { ExecutionsService } from './executions.service.js';

@Controller()
export class ExecutionsHandlers {
  constructor(
    private readonly service: ExecutionsService,
    private readonly moves: ExecutionMovesService,
    private readonly starts: ManualStarts,
    private readonly admissions: Admissions,
    private readonly stats: StatsService,
  ) {}

  @Handles(executions.start)
  start(call: Incoming<StartExecutionOf>): Promise<Execution> {
    return this.starts.start(call);
  }

  @Handles(executions.list)
  list({ caller, body }: Incoming<ListExecutions>): Promise<ExecutionPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(executions.get)
  get({ caller, body }: Incoming<ExecutionId>): Promise<ExecutionWithSteps> {
    return this.service.get(caller.projectId, body);
  }

  @Handles(executions.cancel)
  cancel(call: Incoming<ExecutionId>): Promise<Execution> {
    return this.moves.cancel(call);
  }

  @Handles(executions.retry)
  async retry(call: Incoming<ExecutionId>): Promise<Execution> {
    return this.moves.retry(call, await this.admissions.mover(call.caller, call.body));
  }

  @Handles(executions.skipWait)
  async skipWait(call: Incoming<ExecutionId>): Promise<Execution> {
    return this.moves.skipWait(call, await this.admissions.mover(call.caller, call.body));
  }

  @Handles(executions.stats)
  statsOf({ caller, body }: Incoming<WorkflowId>): Promise<WorkflowStats> {
    return this.stats.of(caller.projectId, body.id);
  }
}
