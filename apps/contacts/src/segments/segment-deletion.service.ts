import { Injectable } from '@nestjs/common';
import {
  segmentInUse,
  segmentUsed,
  segmentUses,
  segments,
  type Caller,
  type DeletedSegment,
  type SegmentId,
} from '@posthorn/contracts';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { SegmentEdgesRepository } from './segment-edges.repository.js';
import type { SegmentRow } from './segment.entity.js';
import { SegmentsRepository } from './segments.repository.js';

/** Called twice within the deadline of the caller, and the second time under the lock of the project. */
const time = { timeoutShare: 0.45 };

/** Deletes segments that are not in use; without an answer of campaigns and workflows nothing is deleted. */
@Injectable()
export class SegmentDeletionService {
  constructor(
    private readonly segments: SegmentsRepository,
    private readonly edges: SegmentEdgesRepository,
    private readonly bus: Bus,
    private readonly commits: Commits,
  ) {}

  @Handles(segments.delete)
  async delete({ caller, body, deadline }: Incoming<SegmentId>): Promise<DeletedSegment> {
    const { projectId } = caller;
    await this.refuseUsed(caller, await this.segments.findOrFail(projectId, body.id));
    await this.commits.before(deadline, async () => {
      await this.segments.lockProject(projectId);
      const row = await this.segments.findOrFail(projectId, body.id);
      // Before the lock it may have been renamed, and used under its new name.
      await this.refuseUsed(caller, row);
      const users = await this.edges.usersOf(projectId, row.id);
      if (users.length > 0) throw segmentInUse(users);
      await this.segments.remove(row);
    });
    return { id: body.id };
  }

  private async refuseUsed(caller: Caller, { projectId, id }: SegmentRow): Promise<void> {
    const slugs = await this.segments.slugsOf(projectId, id);
    const users = await Promise.all(
      (['campaigns', 'workflows'] as const).map(async (owner) => {
        const { names } = await this.bus.call(segmentUses[owner], caller, { id, slugs }, time);
        return names.map((name) => `the ${owner.slice(0, -1)} ${name}`);
      }),
    );
    if (users.flat().length > 0) throw segmentUsed(users.flat());
  }
}
