import { Injectable } from '@nestjs/common';
import {
  maxSegments,
  segmentNameTaken,
  tooManySegments,
  segments,
  type CreateSegment,
  type ListSegments,
  type Segment,
  type SegmentPage,
  type UpdateSegmentById,
  type SegmentId,
} from '@posthorn/contracts';
import { newId, pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SegmentChanges } from './segment-changes.js';
import { SegmentConditions } from './segment-conditions.js';
import { SegmentCounts } from './segment-counts.read-model.js';
import { SegmentDirtyRepository } from './segment-dirty.repository.js';
import { SegmentRow, slugOf } from './segment.entity.js';
import { SegmentsRepository } from './segments.repository.js';

@Injectable()
export class SegmentsService {
  constructor(
    private readonly segments: SegmentsRepository,
    private readonly conditions: SegmentConditions,
    private readonly counts: SegmentCounts,
    private readonly dirty: SegmentDirtyRepository,
    private readonly changes: SegmentChanges,
  ) {}

  @Handles(segments.create)
  async create({ caller, body, deadline }: Incoming<CreateSegment>): Promise<Segment> {
    const { projectId } = caller;
    if (body.type === 'DYNAMIC') await this.dirty.watch(projectId, deadline);
    const row = await this.changes.commit(projectId, deadline, async () => {
      const draft = draftOf(projectId, body);
      if ((await this.segments.total(projectId)) >= maxSegments) throw tooManySegments();
      if (!(await this.segments.isNameFree(draft))) throw segmentNameTaken();
      return draft.type === 'DYNAMIC' ? this.addDynamic(draft) : this.add(draft);
    });
    return this.counted(row);
  }

  @Handles(segments.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<SegmentId>): Promise<Segment> {
    return this.counted(await this.segments.findOrFail(projectId, id));
  }

  @Handles(segments.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListSegments>): Promise<SegmentPage> {
    const page = await pageWithTotal(query, this.segments.list(projectId, query), () =>
      this.segments.total(projectId),
    );
    const counts = await this.counts.of(
      projectId,
      page.items.map(({ id }) => id),
    );
    return { ...page, items: page.items.map((row) => row.toSegment(counts.get(row.id) ?? 0)) };
  }

  @Handles(segments.update)
  async update({ caller, body, deadline }: Incoming<UpdateSegmentById>): Promise<Segment> {
    const { projectId } = caller;
    const row = await this.changes.commit(projectId, deadline, async () => {
      const known = await this.segments.findOrFail(projectId, body.id);
      const { renamed, rebased, any } = known.change(body);
      if (!any) return known;
      if (renamed) await this.rename(known);
      if (rebased) await this.rebase(known);
      return this.segments.save(known);
    });
    return this.counted(row);
  }

  private async addDynamic(draft: SegmentRow): Promise<SegmentRow> {
    const condition = await this.conditions.read(draft.projectId, draft.condition);
    await this.conditions.chooseUpkeep(draft, condition);
    const row = await this.add(draft);
    await this.conditions.connect(row, condition);
    await this.conditions.rebase(row, condition);
    return row;
  }

  private async add(draft: SegmentRow): Promise<SegmentRow> {
    const row = await this.segments.add(draft);
    await this.segments.addSlug(row);
    return row;
  }

  private async rename(row: SegmentRow): Promise<void> {
    if (!(await this.segments.isNameFree(row))) throw segmentNameTaken();
    await this.segments.addSlug(row);
  }

  private async rebase(row: SegmentRow): Promise<void> {
    const condition = await this.conditions.read(row.projectId, row.condition);
    await this.conditions.connect(row, condition);
    await this.conditions.chooseUpkeep(row, condition);
    await this.conditions.rebase(row, condition);
  }

  private async counted(row: SegmentRow): Promise<Segment> {
    return row.toSegment((await this.counts.of(row.projectId, [row.id])).get(row.id) ?? 0);
  }
}

function draftOf(
  projectId: string,
  { name, type, description = null, condition, trackMembership = false }: CreateSegment,
): SegmentRow {
  const id = newId();
  const given = type === 'DYNAMIC' ? (condition ?? null) : null;
  const stored = { upkeep: type === 'DYNAMIC' ? 'LIVE' : 'MANUAL', costMs: 0 };
  return Object.assign(new SegmentRow(), {
    projectId,
    id,
    name,
    slug: slugOf(name, id),
    type,
    description,
    condition: given,
    trackMembership,
    ...stored,
  });
}
