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
  segmentInUse,
  segmentUsed,
  segmentUses,
  type Caller,
  type DeletedSegment,
} from '@posthorn/contracts';
import { newId, pageWithTotal, DatabaseClock } from '@posthorn/database';
import { Handles, type Incoming, Bus } from '@posthorn/messaging';
import { Commits, LimitedRuns } from '@posthorn/platform';
import { SegmentConditions } from './segment-conditions.js';
import { SegmentCounts } from './segment-counts.read-model.js';
import { SegmentDirtyRepository } from './segment-dirty.repository.js';
import { SegmentRow, slugOf } from './segment.entity.js';
import { SegmentsRepository } from './segments.repository.js';
import { ContactsConfig } from '../config.js';
import { connectionsOf } from '../connection-shares.js';
import { SegmentEdgesRepository } from './segment-edges.repository.js';

/** A condition may take seconds on a connection, and so may waiting for the lock of its project: changes wait in turns without one. */
@Injectable()
export class SegmentChanges {
  private readonly runs: LimitedRuns;

  constructor(
    { databasePool }: ContactsConfig,
    private readonly segments: SegmentsRepository,
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
  ) {
    this.runs = new LimitedRuns({
      what: 'changes of segments',
      perProject: 1,
      waitingPerProject: 50,
      waiting: 200,
      running: connectionsOf(databasePool, 'segmentChanges'),
    });
  }

  async commit<T>(projectId: string, deadline: Date | null, work: () => Promise<T>): Promise<T> {
    return this.runs.run(projectId, newId(), await this.clock.msUntil(deadline), () =>
      this.commits.before(deadline, async () => {
        await this.segments.limitStatements(await this.clock.msUntil(deadline));
        await this.segments.lockProject(projectId);
        return work();
      }),
    );
  }
}

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
