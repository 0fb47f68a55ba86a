import { Injectable } from '@nestjs/common';
import {
  emailEvents,
  type EmailBounced,
  type EmailEngaged,
  type EmailChangedEvent,
} from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import { Database } from '@posthorn/database';
import { work, WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { Tombstones } from '../erasures/tombstones.js';
import {
  MailSummaries,
  type MailEventRow,
  type MailKind,
  type EarlyLeft,
} from './mail-summaries.read-model.js';

const earlyMailEventsWork = work('contacts.early-mail-events', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
const key = 'early';
/** Usually the contact exists within milliseconds; an old event is late, or its contact is gone. */
const delayMs: Record<Exclude<EarlyLeft, 'NONE' | 'MORE'>, number> = { NEW: 2_000, OLD: 60_000 };

/** Counts the mail events that arrived before the event that created their contact. */
@Injectable()
export class EarlyMailEvents implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly summaries: MailSummaries,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(earlyMailEventsWork, this);
  }

  async arrived(projectId: string): Promise<void> {
    await this.queue.enqueue(earlyMailEventsWork, [{ projectId, key, delayMs: delayMs.NEW }]);
  }

  run(batch: WorkBatch): Promise<void> {
    return this.database.transaction(async () => {
      const left = await this.summaries.countEarly(batch.projectId);
      if (left === 'NONE') await batch.complete();
      else if (left === 'MORE') await batch.continueLater(batch.items);
      else await batch.postpone(batch.items, delayMs[left]);
    });
  }
}

const kindOf: Readonly<Record<string, MailKind>> = {
  [emailEvents.sent.name]: 'sent',
  [emailEvents.delivered.name]: 'delivered',
  [emailEvents.complained.name]: 'complained',
  [emailEvents.opened.name]: 'opened',
  [emailEvents.clicked.name]: 'clicked',
};

@Injectable()
export class MailSummariesSubscribers {
  constructor(
    private readonly summaries: MailSummaries,
    private readonly tombstones: Tombstones,
    private readonly early: EarlyMailEvents,
  ) {}

  @OnEachEvent([emailEvents.sent, emailEvents.delivered, emailEvents.complained], 'summaries')
  onSent({ projectId, items, origins }: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.add(
      projectId,
      items.map(({ to, at }, index) => ({ email: to, at, kind: kindOf[origins[index]!.event]! })),
    );
  }

  /** Only permanent bounces count (docs/api-decisions.md §9). */
  @OnEachEvent([emailEvents.bounced], 'summaries')
  async onBounced({ projectId, items }: DomainEvent<EmailBounced>): Promise<void> {
    const permanent = items.filter(({ bounceType }) => bounceType === 'Permanent');
    if (permanent.length > 0)
      await this.add(
        projectId,
        permanent.map(({ to, at }) => ({ email: to, at, kind: 'bounced' })),
      );
  }

  @OnEachEvent([emailEvents.opened, emailEvents.clicked], 'summaries')
  async onEngaged({ projectId, items, origins }: DomainEvent<EmailEngaged>): Promise<void> {
    const people = items.flatMap(({ to, at, isMachine }, index) =>
      isMachine ? [] : [{ email: to, at, kind: kindOf[origins[index]!.event]! }],
    );
    if (people.length > 0) await this.add(projectId, people);
  }

  /** Events from before an erasure do not belong to a contact that has the same address now. */
  private async add(projectId: string, occurred: MailEventRow[]): Promise<void> {
    const valid = await this.tombstones.withoutErased(projectId, occurred);
    if (valid.length === 0) return;
    if (await this.summaries.add(projectId, valid)) await this.early.arrived(projectId);
  }
}
