import { Injectable } from '@nestjs/common';
import {
  conditionMissingText,
  conditionTooCostly,
  filtersOf,
  invalid,
  invalidMember,
  liveConditionsTooLarge,
  maxLiveConditionBytes,
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

  async read(projectId: string, given: unknown, member = 'condition'): Promise<Condition> {
    if (given === undefined || given === null)
      throw invalidMember([member], 'required', conditionMissingText);
    const condition = parseCondition(given, [member]);
    const named = filtersOf(condition).filter(
      (filter): filter is MembershipFilter => filter.field === 'segment' || filter.field === 'list',
    );
    const known = await this.segments.known(projectId, named);
    const unknown = named.filter(({ id }) => !known.has(id));
    refuse(unknown, 'not_found', 'names no segment or list of this project', member);
    return condition;
  }

  /** Stores which segments the condition refers to, unless that would be circular. */
  async connect({ projectId, id }: SegmentRow, condition: Condition): Promise<void> {
    const names = namedBy(condition);
    const circular = await this.edges.leadingTo(projectId, id, names);
    refuse(
      namesIn(condition).filter((filter) => circular.has(filter.id)),
      'not_allowed',
      'would be circular: that segment depends on this one',
    );
    await this.edges.put(projectId, id, names);
  }

  async chooseUpkeep(row: SegmentRow, condition: Condition): Promise<void> {
    const ms = await this.previews.measure(row.projectId, condition, await this.clock.now());
    const isFast = ms <= this.config.segmentLiveMs;
    if (!isFast && row.trackMembership) throw conditionTooCostly(ms, this.config.segmentLiveMs);
    const live = await this.segments.liveConditionBytes(row.projectId, row.id);
    const hasRoom = hasRoomBeside(live, row.condition!);
    if (!hasRoom && row.trackMembership) throw liveConditionsTooLarge();
    Object.assign(row, { upkeep: isFast && hasRoom ? 'LIVE' : 'SCHEDULED', costMs: ms });
  }

  /** Replaces its members and, without events, those of the live segments that depend on it. */
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
    for (const { segment, condition: dependent } of await this.dependents(row)) {
      // These were not edited, so earlier changes of contacts are still to be published.
      await this.baselines.take(
        { projectId, segmentId: segment.id, condition: dependent, now, live: true },
        { skipPending: true },
      );
    }
  }

  async refresh({ projectId, id, upkeep }: SegmentRow, condition: Condition): Promise<void> {
    const live = upkeep === 'LIVE';
    const baseline = { projectId, segmentId: id, condition, now: await this.clock.now(), live };
    await this.baselines.take(baseline, { mark: true, skipPending: live });
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

/** All live conditions of a project are evaluated for each contact that changes. One that is live already may always become smaller. */
export function hasRoomBeside({ own, others }: { own: number; others: number }, condition: object): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(condition));
  return bytes <= own || others + bytes <= maxLiveConditionBytes;
}

const namesIn = (condition: Condition): MembershipFilter[] =>
  filtersOf(condition).filter((filter): filter is MembershipFilter => filter.field === 'segment');

function refuse(
  filters: readonly MembershipFilter[],
  code: InvalidMember['code'],
  message: string,
  member = 'condition',
): void {
  if (filters.length > 0)
    throw invalid(filters.map(({ place }) => ({ path: [member, ...place, 'field'], code, message })));
}
