import { Injectable } from '@nestjs/common';
import {
  conditionTooCostly,
  filtersOf,
  invalid,
  invalidMember,
  type Condition,
  type InvalidMember,
  type MembershipFilter,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { ContactsConfig } from '../config.js';
import { parseCondition } from './parsing/parse-condition.js';
import { SegmentBaselines } from './segment-baselines.repository.js';
import { SegmentEdgesRepository } from './segment-edges.repository.js';
import { SegmentPreviews } from './segment-previews.read-model.js';
import { SegmentsRepository } from './segments.repository.js';
import type { SegmentRow } from './segment.entity.js';
import { inOrder, namedBy } from './segment-order.js';

/** What a condition may name, what it costs, and whom it finds; all of it inside the caller's transaction, which holds the project. */
@Injectable()
export class SegmentConditions {
  constructor(
    private readonly segments: SegmentsRepository,
    private readonly edges: SegmentEdgesRepository,
    private readonly previews: SegmentPreviews,
    private readonly baselines: SegmentBaselines,
    private readonly clock: DatabaseClock,
    private readonly config: ContactsConfig,
  ) {}

  /** The tree of a condition that names only what is there. */
  async read(projectId: string, given: unknown): Promise<Condition> {
    if (given === undefined || given === null)
      throw invalidMember(['condition'], 'required', 'is required for a DYNAMIC segment');
    const condition = parseCondition(given);
    const named = filtersOf(condition).filter(
      (filter): filter is MembershipFilter => filter.field === 'segment' || filter.field === 'list',
    );
    const known = await this.segments.known(projectId, named);
    const unknown = named.filter(({ id }) => !known.has(id));
    refuse(unknown, 'not_found', 'names no segment or list of this project');
    return condition;
  }

  /** Writes down whom it names, unless that leads back to itself. */
  async connect({ projectId, id }: SegmentRow, condition: Condition): Promise<void> {
    const names = namedBy(condition);
    const circular = await this.edges.leadingTo(projectId, id, names);
    refuse(
      namesIn(condition).filter((filter) => circular.has(filter.id)),
      'not_allowed',
      'would make a circle: that segment depends on this one',
    );
    await this.edges.put(projectId, id, names);
  }

  /** How it is to be kept, by what it takes now. */
  async weigh(row: SegmentRow, condition: Condition): Promise<void> {
    const { ms } = await this.previews.measure(row.projectId, condition, await this.clock.now());
    const live = ms <= this.config.segmentLiveMs;
    if (!live && row.trackMembership) throw conditionTooCostly(ms, this.config.segmentLiveMs);
    Object.assign(row, { upkeep: live ? 'LIVE' : 'SCHEDULED', costMs: ms });
  }

  /** Its members as they are now, and silently those of the live segments that depend on it. */
  async rebase(row: SegmentRow, condition: Condition): Promise<void> {
    const { projectId } = row;
    const now = await this.clock.now();
    row.refreshedAt = now;
    const changed = await this.baselines.take({
      projectId,
      segmentId: row.id,
      condition,
      now,
      live: row.upkeep === 'LIVE',
    });
    if (!changed) return;
    for (const { segment, condition: depending } of await this.dependents(row)) {
      // Nobody edited these: what happened to a contact before is still to be told.
      await this.baselines.take(
        { projectId, segmentId: segment.id, condition: depending, now, live: true },
        { sparePending: true },
      );
    }
  }

  /**
   * Its members anew, though nobody edited it: what depends on it looks at those who came or left. Where it is kept live, those who wait to be
   * looked at are left to that.
   */
  async refresh({ projectId, id, upkeep }: SegmentRow, condition: Condition): Promise<void> {
    const live = upkeep === 'LIVE';
    const baseline = { projectId, segmentId: id, condition, now: await this.clock.now(), live };
    await this.baselines.take(baseline, { mark: true, sparePending: live });
  }

  private async dependents({ projectId, id }: SegmentRow): Promise<ReturnType<typeof inOrder>> {
    const all = (await this.segments.dynamic(projectId)).filter((segment) => segment.id !== id);
    const above = await this.edges.leadingTo(
      projectId,
      id,
      all.map((segment) => segment.id),
    );
    return inOrder(all.filter((segment) => segment.upkeep === 'LIVE' && above.has(segment.id)));
  }
}

const namesIn = (condition: Condition): MembershipFilter[] =>
  filtersOf(condition).filter((filter): filter is MembershipFilter => filter.field === 'segment');

function refuse(filters: readonly MembershipFilter[], code: InvalidMember['code'], message: string): void {
  if (filters.length > 0)
    throw invalid(
      filters.map(({ place: location }) => ({ path: ['condition', ...location, 'field'], code, message })),
    );
}
