import { Injectable } from '@nestjs/common';
import {
  executionNotFound,
  executions,
  type Execution,
  type ExecutionId,
  type ExecutionPage,
  type ExecutionWithSteps,
  type ListExecutions,
} from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Graphs } from '../graphs/graphs.read-model.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { Executions } from './executions.read-model.js';

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
