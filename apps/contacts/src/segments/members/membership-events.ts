import { Injectable } from '@nestjs/common';
import { contactEvents, type ContactHistoryKind } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { ContactHistoryRepository } from '../../activity/contact-history.repository.js';
import { SegmentDirtyRepository } from '../segment-dirty.repository.js';
import type { SegmentRow } from '../segment.entity.js';

export type MembershipChange = 'segmentEntered' | 'segmentLeft';

export interface ChangedMember {
  segment: SegmentRow;
  contactId: string;
}

const historyKinds: Record<MembershipChange, ContactHistoryKind> = {
  segmentEntered: 'segment.entered',
  segmentLeft: 'segment.exited',
};

@Injectable()
export class MembershipEvents {
  constructor(
    private readonly outbox: Outbox,
    private readonly dirty: SegmentDirtyRepository,
    private readonly history: ContactHistoryRepository,
    private readonly clock: DatabaseClock,
  ) {}

  async publish(
    projectId: string,
    change: MembershipChange,
    changed: readonly ChangedMember[],
    at: Date,
  ): Promise<void> {
    const published = changed.filter(({ segment }) => segment.trackMembership);
    if (published.length === 0) return;
    const events = published.map(({ segment, contactId }) => segment.toEvent(contactId, at));
    await this.outbox.publish(contactEvents[change], projectId, events);
    await this.history.add(projectId, historyKinds[change], events);
  }

  /** Also has segments that refer to this one evaluated again. */
  async publishManual(
    segment: SegmentRow,
    change: MembershipChange,
    contactIds: readonly string[],
  ): Promise<void> {
    const changed = contactIds.map((contactId) => ({ segment, contactId }));
    await this.publish(segment.projectId, change, changed, await this.clock.now());
    await this.dirty.mark(contactIds.map((contactId) => ({ projectId: segment.projectId, contactId })));
  }
}
