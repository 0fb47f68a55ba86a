import { Injectable } from '@nestjs/common';
import {
  segmentInUse,
  segmentNotFound,
  segmentUsed,
  segmentUses,
  type Caller,
  type DeletedSegment,
  type SegmentId,
} from '@posthorn/contracts';
import { Bus, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { SegmentEdgesRepository } from './segment-edges.repository.js';
import type { SegmentRow } from './segment.entity.js';
import { SegmentsRepository } from './segments.repository.js';

// Twice, and the second time the project is held.
const callMs = 800;

/** A segment goes when nobody needs it: other segments are known here, campaigns and workflows are asked, and without their answer nothing is deleted. */
@Injectable()
export class SegmentDeletionService {
  constructor(
    private readonly segments: SegmentsRepository,
    private readonly edges: SegmentEdgesRepository,
    private readonly bus: Bus,
    private readonly commits: Commits,
  ) {}

  async delete({ caller, body, deadline }: Incoming<SegmentId>): Promise<DeletedSegment> {
    const { projectId } = caller;
    await this.refuseUsed(caller, await this.found(projectId, body.id));
    await this.commits.before(deadline, async () => {
      await this.segments.lockProject(projectId);
      const row = await this.found(projectId, body.id);
      // It was free to be renamed, and used, until now.
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
        const { names } = await this.bus.call(
          segmentUses[owner],
          caller,
          { id, slugs },
          { timeoutMs: callMs },
        );
        return names.map((name) => `the ${owner.slice(0, -1)} ${name}`);
      }),
    );
    if (users.flat().length > 0) throw segmentUsed(users.flat());
  }

  private async found(projectId: string, id: string): Promise<SegmentRow> {
    const row = await this.segments.find(projectId, id);
    if (!row) throw segmentNotFound();
    return row;
  }
}
