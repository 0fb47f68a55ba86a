import { Injectable } from '@nestjs/common';
import type { EraseAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { addressesIn, anyOf, withoutAddresses } from '@posthorn/messaging';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { ErasedExecutions } from './erased-executions.repository.js';
import { ExecutionEnds } from './execution-ends.js';

const atOnce = 1_000;

/** Ends the executions of a deleted contact and removes what they hold of the person; history keeps which steps were taken. */
@Injectable()
export class ExecutionErasure {
  constructor(
    private readonly database: Database,
    private readonly executions: ErasedExecutions,
    private readonly ends: ExecutionEnds,
    private readonly counts: WorkflowCounts,
  ) {}

  /** A bounded step; returns whether nothing is left. */
  async erase(projectId: string, { contactId, email }: EraseAddress): Promise<boolean> {
    const running = await this.executions.running(projectId, contactId);
    await this.ends.end(projectId, running, { status: 'CANCELLED', reason: 'The contact was deleted' });
    await this.database.transaction(() => this.forgetEvents(projectId, contactId));
    await this.database.transaction(() => this.rewriteVersions(projectId, email));
    if (await this.database.transaction(() => this.executions.empty(projectId, contactId, atOnce)))
      return false;
    return !(await this.executions.areStarting(projectId, contactId));
  }

  private async forgetEvents(projectId: string, contactId: string): Promise<void> {
    await this.executions.forgetEvents(projectId, contactId);
    await this.counts.add(projectId, await this.executions.forgetStarts(projectId, contactId));
  }

  private async rewriteVersions(projectId: string, email: string): Promise<void> {
    const addresses = addressesIn([email]);
    const graphs = await this.executions.lockVersions(projectId, anyOf([email]));
    const rewritten = graphs.map((graph) => ({
      ...graph,
      document: withoutAddresses(graph.document, addresses),
    }));
    if (rewritten.length > 0) await this.executions.rewriteVersions(projectId, rewritten);
  }
}
