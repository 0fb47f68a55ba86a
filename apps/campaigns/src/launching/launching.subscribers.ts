import { Injectable } from '@nestjs/common';
import { projectEvents, type ProjectEvent } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { selfPauseWork } from './launch-kinds.js';

/** Mail of a disabled project waits for a day and then fails: its campaigns stop instead. */
@Injectable()
export class LaunchingSubscribers {
  constructor(private readonly queue: WorkQueue) {}

  @OnEvent(projectEvents.changed, 'campaign-pauses')
  async onProject({ projectId, items }: DomainEvent<ProjectEvent>): Promise<void> {
    const last = items.reduce((a, b) => (a.seq > b.seq ? a : b));
    if (!last.disabled) return;
    const reason = last.disabledReason === 'EMAIL_REPUTATION' ? 'REPUTATION' : 'OPERATOR';
    const payload = { reason, why: 'its project is disabled' } as const;
    await this.queue.enqueue(selfPauseWork, [{ projectId, key: 'project', payload }]);
  }
}
