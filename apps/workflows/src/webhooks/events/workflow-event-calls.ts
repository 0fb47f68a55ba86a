import { Injectable } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { EventCalls } from './event-calls.js';

export interface EndedExecution {
  type: 'workflow.completed' | 'workflow.failed';
  at: Date;
  workflow: { id: string; name: string };
  execution: { id: string; startedAt: Date };
  contact: { id: string; email: string };
  reason?: string | null;
}

/** For the engine, which calls it in the transaction in which executions end. */
@Injectable()
export class WorkflowEventCalls {
  constructor(private readonly calls: EventCalls) {}

  /** Ask first where the addresses of contacts would have to be looked up. */
  areWanted(projectId: string): Promise<boolean> {
    return this.calls.areWanted(projectId, ['workflow.completed', 'workflow.failed']);
  }

  add(projectId: string, ended: readonly EndedExecution[]): Promise<void> {
    return this.calls.add(
      projectId,
      ended.map(({ type, at, reason, ...about }) => ({
        ...{ id: newId(), type, at, contactId: about.contact.id },
        data: reason ? { ...about, reason } : about,
      })),
    );
  }
}
