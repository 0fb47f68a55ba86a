import { Injectable } from '@nestjs/common';
import {
  contactEnteredBefore,
  contactIsInside,
  startsUsedUp,
  type DomainError,
  executionNotFound,
  invalidMember,
  workflowDisabled,
  type Execution,
  type ExecutionId,
  type ExecutionPage,
  type ExecutionWithSteps,
  type ListExecutions,
  type StartExecutionOf,
} from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import type { Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Graphs } from '../graphs/graphs.read-model.js';
import { Starts } from '../starts/starts.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { Executions } from './executions.read-model.js';
import { People } from './people.js';

@Injectable()
export class ExecutionsService {
  constructor(
    private readonly executions: Executions,
    private readonly graphs: Graphs,
    private readonly workflows: WorkflowsRepository,
    private readonly starts: Starts,
    private readonly people: People,
    private readonly commits: Commits,
  ) {}

  async start({ caller: { projectId }, body, deadline }: Incoming<StartExecutionOf>): Promise<Execution> {
    const { workflowId, contactId, context = {} } = body;
    await this.workflows.findOrFail(projectId, workflowId);
    if (!(await this.people.byIds(projectId, [contactId])).has(contactId))
      throw invalidMember(['contactId'], 'not_found', 'must be a contact of this project');
    return this.commits.before(deadline, async () => {
      const entries = [{ contactId, event: null }];
      const started = await this.starts.start(projectId, workflowId, entries, context);
      if (!started) throw workflowDisabled();
      if (started.rest.length > 0) throw startsUsedUp(started.secondsLeft);
      const [created] = started.ids;
      if (!created) throw await this.refusal(projectId, workflowId, contactId);
      return this.getOne(projectId, { workflowId, id: created.id });
    });
  }

  async list(projectId: string, query: ListExecutions): Promise<ExecutionPage> {
    await this.workflows.findOrFail(projectId, query.workflowId);
    return pageWithTotal(query, this.executions.page(projectId, query), () =>
      this.executions.total(projectId, query),
    );
  }

  async get(projectId: string, id: ExecutionId): Promise<ExecutionWithSteps> {
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

  private async refusal(projectId: string, workflowId: string, contactId: string): Promise<DomainError> {
    const isInside = await this.executions.isInside(projectId, workflowId, contactId);
    return isInside ? contactIsInside() : contactEnteredBefore();
  }
}
