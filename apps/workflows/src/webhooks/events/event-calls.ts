import { Injectable } from '@nestjs/common';
import type { WebhookEventType } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { WorkQueue } from '@posthorn/work';
import { callWork } from '../../work-kinds.js';
import { CallsRepository, type EventToCall } from '../calls/calls.repository.js';
import { WebhooksRepository } from '../webhooks.repository.js';

/** Turns events into calls, in the transaction of whoever knows of them. */
@Injectable()
export class EventCalls {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly calls: CallsRepository,
    private readonly queue: WorkQueue,
  ) {}

  /** Ask first, where it costs something to make the data. */
  areWanted(projectId: string, types: readonly WebhookEventType[]): Promise<boolean> {
    return this.webhooks.anyAsksFor(projectId, types);
  }

  async add(projectId: string, events: readonly EventToCall[]): Promise<void> {
    if (events.length === 0) return;
    const wakes = await this.calls.addOfEvents(projectId, events);
    await this.queue.enqueue(
      callWork,
      wakes.map(({ id: key, dueAt }) => ({ projectId, key, dueAt, payload: { kind: 'EVENT' } })),
    );
  }
}

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
        id: newId(),
        type,
        at,
        contactId: about.contact.id,
        data: reason ? { ...about, reason } : about,
      })),
    );
  }
}
