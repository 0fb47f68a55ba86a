import { Injectable } from '@nestjs/common';
import {
  segmentNotFound,
  segmentNotStatic,
  type AddedMembers,
  type AddMembersById,
  type Caller,
  type ContactPage,
  type ListSegmentContacts,
  type RemovedMembers,
  type RemoveMembersById,
} from '@posthorn/contracts';
import type { Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { originOf } from '../contacts/writes/contact-write.js';
import { ContactWrites } from '../contacts/writes/contact-writes.js';
import { MembershipEvents } from './membership-events.js';
import { SegmentCounts } from './segment-counts.read-model.js';
import { SegmentMembersRepository } from './segment-members.repository.js';
import type { SegmentRow } from './segment.entity.js';
import { SegmentsRepository } from './segments.repository.js';

/** Who is in a segment, and for a STATIC one who is put in and taken out. */
@Injectable()
export class SegmentMembersService {
  constructor(
    private readonly segments: SegmentsRepository,
    private readonly members: SegmentMembersRepository,
    private readonly counts: SegmentCounts,
    private readonly writes: ContactWrites,
    private readonly events: MembershipEvents,
    private readonly commits: Commits,
  ) {}

  async contacts(projectId: string, { id, ...query }: ListSegmentContacts): Promise<ContactPage> {
    const page = await this.members.page(projectId, id, query);
    // Whoever has members is there.
    if (page.items.length === 0) await this.found(projectId, id);
    return query.withTotal ? { ...page, total: (await this.counts.of(projectId, [id])).get(id) ?? 0 } : page;
  }

  add({ caller, body, deadline }: Incoming<AddMembersById>): Promise<AddedMembers> {
    const { projectId } = caller;
    const emails = [...new Set(body.emails)];
    return this.commits.before(deadline, async () => {
      const segment = await this.held(projectId, body.id);
      const created = body.createMissing ? await this.make(caller, emails) : 0;
      const known = await this.members.contactsOf(projectId, emails);
      const added = await this.members.add(
        projectId,
        segment.id,
        known.map(({ id }) => id),
      );
      await this.events.byHand(segment, 'segmentEntered', added);
      const found = new Set(known.map(({ email }) => email));
      return { added: added.length, created, notFound: emails.filter((email) => !found.has(email)) };
    });
  }

  remove({ caller, body, deadline }: Incoming<RemoveMembersById>): Promise<RemovedMembers> {
    const { projectId } = caller;
    return this.commits.before(deadline, async () => {
      const segment = await this.held(projectId, body.id);
      const known = await this.members.contactsOf(projectId, body.emails);
      const removed = await this.members.remove(
        projectId,
        segment.id,
        known.map(({ id }) => id),
      );
      await this.events.byHand(segment, 'segmentLeft', removed);
      return { removed: removed.length };
    });
  }

  /** Somebody else put them here: they did not subscribe. */
  private async make(caller: Caller, emails: string[]): Promise<number> {
    const origin = originOf(caller, 'SEGMENT');
    const { projectId } = caller;
    const written = await this.writes.write(
      emails.map((email) => ({ projectId, email, subscribedWhenNew: false, only: 'NEW', origin })),
    );
    return written.filter(({ outcome }) => outcome === 'CREATED').length;
  }

  /** The project is held, so that what depends on this segment is looked at before or after, and never meanwhile. */
  private async held(projectId: string, id: string): Promise<SegmentRow> {
    await this.segments.lockProject(projectId);
    const row = await this.found(projectId, id);
    if (row.type !== 'STATIC') throw segmentNotStatic();
    return row;
  }

  private async found(projectId: string, id: string): Promise<SegmentRow> {
    const row = await this.segments.find(projectId, id);
    if (!row) throw segmentNotFound();
    return row;
  }
}
