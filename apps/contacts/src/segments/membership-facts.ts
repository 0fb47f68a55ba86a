import { Injectable } from '@nestjs/common';
import { contactFacts, type ContactHistoryKind } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { ContactHistoryRepository } from '../activity/contact-history.repository.js';
import { SegmentDirtyRepository } from './segment-dirty.repository.js';
import type { SegmentRow } from './segment.entity.js';

export type MembershipChange = 'segmentEntered' | 'segmentLeft';

const historyKinds: Record<MembershipChange, ContactHistoryKind> = { segmentEntered: 'segment.entered', segmentLeft: 'segment.exited' };

/** Tells who came into a tracked segment and who left it, in the commit of it. */
@Injectable()
export class MembershipFacts {
  constructor(
    private readonly outbox: Outbox,
    private readonly dirty: SegmentDirtyRepository,
    private readonly history: ContactHistoryRepository,
    private readonly clock: DatabaseClock,
  ) {}

  async tell(segment: SegmentRow, change: MembershipChange, contactIds: readonly string[], at: Date): Promise<void> {
    if (!segment.trackMembership || contactIds.length === 0) return;
    const facts = contactIds.map((contactId) => segment.toFact(contactId, at));
    await this.outbox.publish(contactFacts[change], segment.projectId, facts);
    await this.history.keep(segment.projectId, historyKinds[change], segment.id, contactIds);
  }

  /** What was done by hand; segments that name this one look at these contacts again. */
  async byHand(segment: SegmentRow, change: MembershipChange, contactIds: readonly string[]): Promise<void> {
    await this.tell(segment, change, contactIds, await this.clock.now());
    await this.dirty.mark(contactIds.map((contactId) => ({ projectId: segment.projectId, contactId })));
  }
}
