import { Injectable } from '@nestjs/common';
import {
  boundedText,
  endedExecutionEvents,
  endedExecutionPayloadOf,
  maxReason,
  webhookTypes,
  type EndedExecutionEvent,
} from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { callWork } from '../../work-kinds.js';
import { CallsRepository, type EventToCall } from '../calls/calls.repository.js';

/** Turns events into calls, in the transaction of whoever knows of them. */
@Injectable()
export class EventCalls {
  constructor(
    private readonly calls: CallsRepository,
    private readonly queue: WorkQueue,
  ) {}

  async add(projectId: string, events: readonly EventToCall[]): Promise<void> {
    if (events.length === 0) return;
    const wakes = await this.calls.addOfEvents(projectId, events);
    await this.queue.enqueue(
      callWork,
      wakes.map(({ id: key, dueAt }) => ({ projectId, key, dueAt, payload: { kind: 'EVENT' } })),
    );
  }
}

/** For the engine, which calls it in the transaction in which executions end. */
@Injectable()
export class EndedExecutionEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly calls: EventCalls,
  ) {}

  /** Calls have the ids of the items, as the live stream has. */
  async add(
    projectId: string,
    status: 'completed' | 'failed',
    ended: readonly EndedExecutionEvent[],
  ): Promise<void> {
    if (ended.length === 0) return;
    const items = ended.map(({ reason, ...about }) => ({
      ...about,
      ...(reason ? { reason: boundedText(reason, maxReason) } : {}),
    }));
    const event = endedExecutionEvents[status];
    const ids = await this.outbox.publish(event, projectId, items);
    const type = webhookTypes.get(event.name)!;
    await this.calls.add(
      projectId,
      items.map((item, index) => ({
        id: ids[index]!,
        type,
        at: item.at,
        ...endedExecutionPayloadOf(item),
      })),
    );
  }
}
