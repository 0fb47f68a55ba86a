import { Injectable } from '@nestjs/common';
import {
  executionNotFound,
  executions,
  type Execution,
  type ExecutionId,
  type ExecutionPage,
  type ExecutionWithSteps,
  type ListExecutions,
  contactIsInside,
  executionEnded,
  executionEvents,
  executionNotFailed,
  executionNotWaiting,
  type EventContract,
  type ExecutionEvent,
} from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming, Outbox } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Admissions } from '../authorities/admissions.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { hasEnded } from './execution-row.js';
import { ExecutionEnds } from './execution-store.js';
import { Executions } from './executions.read-model.js';
import { ExecutionMoves, type LockedExecution } from './executions.repository.js';

@Injectable()
export class ExecutionsService {
  constructor(
    private readonly executions: Executions,
    private readonly graphs: Graphs,
    private readonly workflows: WorkflowsRepository,
  ) {}

  @Handles(executions.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListExecutions>): Promise<ExecutionPage> {
    await this.workflows.findOrFail(projectId, query.workflowId);
    return pageWithTotal(query, this.executions.page(projectId, query), () =>
      this.executions.total(projectId, query),
    );
  }

  @Handles(executions.get)
  async get({ caller: { projectId }, body: id }: Incoming<ExecutionId>): Promise<ExecutionWithSteps> {
    const execution = await this.getOne(projectId, id);
    const { workflowId, workflowVersion } = execution;
    const graph = await this.graphs.version(projectId, workflowId, workflowVersion);
    return this.executions.withSteps(projectId, execution, graph);
  }

  private async getOne(projectId: string, { workflowId, id }: ExecutionId): Promise<Execution> {
    const execution = await this.executions.find(projectId, workflowId, id);
    if (!execution) throw executionNotFound();
    return execution;
  }
}

@Injectable()
export class ExecutionMovesService {
  constructor(
    private readonly executions: Executions,
    private readonly moves: ExecutionMoves,
    private readonly ends: ExecutionEnds,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
    private readonly admissions: Admissions,
  ) {}

  @Handles(executions.cancel)
  cancel(call: Incoming<ExecutionId>): Promise<Execution> {
    return this.move(call, executionEvents.cancelled, async (projectId, { id, status, isStopped }) => {
      if (hasEnded(status) || isStopped) throw executionEnded();
      await this.ends.end(projectId, [id], { status: 'CANCELLED', reason: 'Cancelled by a request' });
    });
  }

  /** The failed step is entered once more, under a new key: what it did before may have been refused for good. */
  @Handles(executions.retry)
  async retry(call: Incoming<ExecutionId>): Promise<Execution> {
    const mover = await this.admissions.mover(call.caller, call.body);
    return this.move(
      call,
      executionEvents.retried,
      async (projectId, { id, status, isCurrent, workflowId, contactId }) => {
        if (status !== 'FAILED' || !isCurrent) throw executionNotFailed();
        if (await this.executions.isInside(projectId, workflowId, contactId)) throw contactIsInside();
        await this.moves.reopen(projectId, id, mover);
        await this.ends.countReopened(projectId, workflowId);
        await this.moves.goOn(projectId, id);
      },
    );
  }

  @Handles(executions.skipWait)
  async skipWait(call: Incoming<ExecutionId>): Promise<Execution> {
    const mover = await this.admissions.mover(call.caller, call.body);
    return this.move(
      call,
      executionEvents.waitSkipped,
      async (projectId, { id, status, wait, isStopped }) => {
        if (status !== 'WAITING' || wait === 'WEBHOOK' || isStopped) throw executionNotWaiting();
        await this.moves.endWait(projectId, id, mover);
        await this.moves.goOn(projectId, id);
      },
    );
  }

  private async move(
    { caller: { projectId }, body, deadline }: Incoming<ExecutionId>,
    event: EventContract<ExecutionEvent>,
    change: (projectId: string, execution: LockedExecution) => Promise<void>,
  ): Promise<Execution> {
    const { workflowId, id } = body;
    return this.commits.before(deadline, async () => {
      const locked = await this.moves.lock(projectId, workflowId, id);
      if (!locked) throw executionNotFound();
      await change(projectId, locked);
      await this.outbox.publish(event, projectId, [
        { executionId: id, workflowId, at: await this.executions.now() },
      ]);
      return (await this.executions.find(projectId, workflowId, id))!;
    });
  }
}
