import { Injectable } from '@nestjs/common';
import {
  contactEnteredBefore,
  contactIsInside,
  executionNotFound,
  invalidMember,
  startsUsedUp,
  workflowDisabled,
  executions,
  type DomainError,
  type Execution,
  type StartExecutionOf,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Admissions } from '../authorities/admissions.js';
import { Starts } from './starts.work.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { Executions } from '../executions/executions.read-model.js';
import { People } from '../executions/people.js';

/** Starts by a call, for one contact. */
@Injectable()
export class ManualStarts {
  constructor(
    private readonly executions: Executions,
    private readonly workflows: WorkflowsRepository,
    private readonly starts: Starts,
    private readonly people: People,
    private readonly admissions: Admissions,
    private readonly commits: Commits,
  ) {}

  @Handles(executions.start)
  async start({ caller, body, deadline }: Incoming<StartExecutionOf>): Promise<Execution> {
    const { projectId } = caller;
    const { workflowId, contactId, context = {} } = body;
    await this.workflows.findOrFail(projectId, workflowId);
    if (!(await this.people.byIds(projectId, [contactId])).has(contactId))
      throw invalidMember(['contactId'], 'not_found', 'must be a contact of this project');
    const starter = await this.admissions.starter(caller, workflowId);
    return this.commits.before(deadline, async () => {
      const entries = [{ contactId, event: null }];
      const started = await this.starts.start(projectId, workflowId, entries, { context, starter });
      if (!started) throw workflowDisabled();
      if (started.rest.length > 0) throw startsUsedUp(started.secondsLeft);
      const [created] = started.ids;
      if (!created) throw await this.refusal(projectId, workflowId, contactId);
      const execution = await this.executions.find(projectId, workflowId, created.id);
      if (!execution) throw executionNotFound();
      return execution;
    });
  }

  private async refusal(projectId: string, workflowId: string, contactId: string): Promise<DomainError> {
    const isInside = await this.executions.isInside(projectId, workflowId, contactId);
    return isInside ? contactIsInside() : contactEnteredBefore();
  }
}
