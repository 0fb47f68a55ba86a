import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock } from '@posthorn/database';
import { MembershipFacts } from '../membership-facts.js';
import type { ContactMark } from '../segment-dirty.repository.js';
import { inOrder, type ConditionedSegment } from '../segment-order.js';
import { SegmentsRepository } from '../segments.repository.js';
import { look, noDifference, type Difference, type Place } from './look.js';
import { Subjects } from './subjects.read-model.js';
import { UpkeepRepository } from './upkeep.repository.js';

const atOnce = 500;

/** Keeps live segments: who changed, or whose time has come, is looked at, and what differs is one commit with its facts. */
@Injectable()
export class SegmentUpkeep {
  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly upkeep: UpkeepRepository,
    private readonly subjects: Subjects,
    private readonly segments: SegmentsRepository,
    private readonly facts: MembershipFacts,
  ) {}

  /** One handful; answers whether more is waiting that can be looked at now. */
  round(): Promise<boolean> {
    return this.database.transaction(async () => {
      const dirty = await this.upkeep.dirty(atOnce);
      const due = await this.upkeep.due(await this.clock.now(), atOnce);
      if (dirty.length + due.length === 0) return false;
      const held = await this.upkeep.hold([...new Set([...dirty, ...due].map(({ projectId }) => projectId))]);
      const isHeld = ({ projectId }: ContactMark) => held.has(projectId);
      await this.lookAt([...dirty, ...due].filter(isHeld));
      await this.upkeep.clean(dirty.filter(isHeld).map(({ id }) => id));
      return held.size > 0 && (dirty.length === atOnce || due.length === atOnce);
    });
  }

  private async lookAt(marks: readonly ContactMark[]): Promise<void> {
    const contacts = [...new Map(marks.map(({ projectId, contactId }) => [contactId, { projectId, contactId }])).values()];
    if (contacts.length === 0) return;
    const live = await this.liveOf([...new Set(contacts.map(({ projectId }) => projectId))]);
    // Now is after every mark: whoever is looked at is seen as it was then, or later.
    const looked = await this.subjects.of(contacts, [...live.values()].flat());
    const now = await this.clock.now();
    const difference = noDifference();
    for (const each of looked) look(live.get(each.projectId) ?? [], each, now, difference);
    const there = await this.upkeep.holdContacts([...difference.entered, ...difference.left, ...difference.due]);
    await this.write(ofThose(there, difference), live, (contactId) => there.has(contactId), now);
  }

  private async liveOf(projectIds: readonly string[]): Promise<Map<string, ConditionedSegment[]>> {
    const rows = await this.segments.live(projectIds);
    const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
    return new Map([...byProject].map(([projectId, segments]) => [projectId, inOrder(segments)]));
  }

  private async write(
    difference: Difference,
    live: Map<string, ConditionedSegment[]>,
    isThere: (contactId: string) => boolean,
    now: Date,
  ): Promise<void> {
    const { entered, left } = await this.upkeep.write(difference);
    const segments = new Map([...live.values()].flat().map(({ segment }) => [segment.id, segment]));
    // Of contacts that are gone nobody is told.
    const told = (places: readonly Place[]) =>
      Map.groupBy(
        places.filter(({ contactId }) => isThere(contactId)),
        ({ segmentId }) => segmentId,
      );
    for (const [change, places] of [
      ['segmentExited', left],
      ['segmentEntered', entered],
    ] as const) {
      for (const [id, of] of told(places)) {
        const segment = segments.get(id);
        if (segment)
          await this.facts.tell(
            segment,
            change,
            of.map(({ contactId }) => contactId),
            now,
          );
      }
    }
  }
}

/** Contacts that were deleted since they were looked at enter nothing, and no time is due for them. */
const ofThose = (there: ReadonlySet<string>, { entered, left, due, undue }: Difference): Difference => ({
  entered: entered.filter(({ contactId }) => there.has(contactId)),
  left,
  due: due.filter(({ contactId }) => there.has(contactId)),
  undue,
});
