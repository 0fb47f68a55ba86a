import { Injectable } from '@nestjs/common';
import {
  segmentNotStatic,
  segments,
  type AddedMembers,
  type AddMembersById,
  type Caller,
  type ContactPage,
  type ListSegmentContacts,
  type RemovedMembers,
  type RemoveMembersById,
} from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { originOf } from '../../contacts/writes/contact-write.js';
import { ContactWrites } from '../../contacts/writes/contact-writes.js';
import { MembershipEvents } from './membership-events.js';
import { SegmentCounts } from '../segment-counts.read-model.js';
import { SegmentMembersRepository } from './segment-members.repository.js';
import type { SegmentRow } from '../segment.entity.js';
import { SegmentsRepository } from '../segments.repository.js';

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

  @Handles(segments.contacts)
  async contacts({
    caller: { projectId },
    body: { id, ...query },
  }: Incoming<ListSegmentContacts>): Promise<ContactPage> {
    const page = await pageWithTotal(
      query,
      this.members.page(projectId, id, query),
      async () => (await this.counts.of(projectId, [id])).get(id) ?? 0,
    );
    if (page.items.length === 0) await this.segments.findOrFail(projectId, id);
    return page;
  }

  @Handles(segments.addMembers)
  add({ caller, body, deadline }: Incoming<AddMembersById>): Promise<AddedMembers> {
    const { projectId } = caller;
    const emails = [...new Set(body.emails)];
    return this.commits.before(deadline, async () => {
      const segment = await this.lockStatic(projectId, body.id);
      const created = body.createMissing ? await this.createContacts(caller, emails) : 0;
      const known = await this.members.contactsOf(projectId, emails);
      const added = await this.members.add(
        projectId,
        segment.id,
        known.map(({ id }) => id),
      );
      await this.events.publishManual(segment, 'segmentEntered', added);
      const found = new Set(known.map(({ email }) => email));
      return { added: added.length, created, notFound: emails.filter((email) => !found.has(email)) };
    });
  }

  @Handles(segments.removeMembers)
  remove({ caller, body, deadline }: Incoming<RemoveMembersById>): Promise<RemovedMembers> {
    const { projectId } = caller;
    return this.commits.before(deadline, async () => {
      const segment = await this.lockStatic(projectId, body.id);
      const known = await this.members.contactsOf(projectId, body.emails);
      const removed = await this.members.remove(
        projectId,
        segment.id,
        known.map(({ id }) => id),
      );
      await this.events.publishManual(segment, 'segmentLeft', removed);
      return { removed: removed.length };
    });
  }

  private async createContacts(caller: Caller, emails: string[]): Promise<number> {
    const origin = originOf(caller, 'SEGMENT');
    const { projectId } = caller;
    const written = await this.writes.write(
      emails.map((email) => ({ projectId, email, subscribedWhenNew: false, only: 'NEW', origin })),
    );
    return written.filter(({ outcome }) => outcome === 'CREATED').length;
  }

  /** Under the lock of the project, so that segments that depend on this one are not evaluated at the same time. */
  private async lockStatic(projectId: string, id: string): Promise<SegmentRow> {
    await this.segments.lockProject(projectId);
    const row = await this.segments.findOrFail(projectId, id);
    if (row.type !== 'STATIC') throw segmentNotStatic();
    return row;
  }
}
