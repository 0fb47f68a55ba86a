import { Injectable } from '@nestjs/common';
import type { WebhookEventType } from '@posthorn/contracts';
import { WorkQueue } from '@posthorn/work';
import { WebhookCallsRepository, type EventToCall } from '../calls/webhook-calls.repository.js';
import { webhookTurnWork } from '../dispatch/dispatch-kinds.js';
import { WebhooksRepository } from '../webhooks.repository.js';

/** Turns events into calls, in the transaction of whoever knows of them. */
@Injectable()
export class EventCalls {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly calls: WebhookCallsRepository,
    private readonly queue: WorkQueue,
  ) {}

  /** Ask first, where it costs something to make the data. */
  areWanted(projectId: string, types: readonly WebhookEventType[]): Promise<boolean> {
    return this.webhooks.anyAsksFor(projectId, types);
  }

  async add(projectId: string, events: readonly EventToCall[]): Promise<void> {
    if (events.length === 0) return;
    const endpoints = await this.calls.add(projectId, events);
    await this.queue.enqueue(
      webhookTurnWork,
      endpoints.map(({ id: key, dueAt }) => ({ projectId, key, dueAt })),
    );
  }
}
