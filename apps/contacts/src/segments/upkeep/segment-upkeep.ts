import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '@posthorn/database';
import { MembershipEvents } from '../membership-events.js';
import type { ContactMark } from '../segment-dirty.repository.js';
import { inOrder, type ConditionedSegment } from '../segment-order.js';
import { SegmentsRepository } from '../segments.repository.js';
import { look, noDifference, type Difference, type SegmentPair } from './evaluate.js';
import { Subjects } from './subjects.read-model.js';
import { UpkeepRepository } from './upkeep.repository.js';

const atOnce = 500;

/** Projects by what is left of them: nothing, more that can be evaluated at once, or contacts that somebody else writes at this moment. */
interface Round {
  done: string[];
  more: string[];
  busy: string[];
}

/** Keeps live segments: who changed, or whose time has come, is looked at, and what differs is one commit with its facts. */
@Injectable()
export class SegmentUpkeep {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly upkeep: UpkeepRepository,
    private readonly subjects: Subjects,
    private readonly segments: SegmentsRepository,
    private readonly events: MembershipEvents,
  ) {}

  /** Evaluates a share of the waiting contacts of each project, inside the caller's transaction. */
  async round(projectIds: readonly string[], now: Date): Promise<Round> {
    const held = await this.upkeep.hold(projectIds);
    const busy = projectIds.filter((projectId) => !held.includes(projectId));
    if (held.length === 0) return { done: [], more: [], busy };
    const share = Math.max(1, Math.floor(atOnce / held.length));
    const dirty = await this.upkeep.dirty(held, share);
    const due = await this.upkeep.due(held, now, share);
    const busyContacts = await this.evaluate([...dirty, ...due]);
    const checked = dirty.filter(({ contactId }) => !busyContacts.has(contactId));
    await this.upkeep.clean(checked);
    const stateOf = (projectId: string): keyof Round => {
      const [marked, timed] = [dirty, due].map((marks) =>
        marks.filter((mark) => mark.projectId === projectId),
      ) as [ContactMark[], ContactMark[]];
      const waiting = [...marked, ...timed];
      // Where all are busy there is nobody who can be evaluated now.
      if (waiting.some(({ contactId }) => busyContacts.has(contactId)))
        return waiting.every(({ contactId }) => busyContacts.has(contactId)) ? 'busy' : 'more';
      return marked.length >= share || timed.length >= share ? 'more' : 'done';
    };
    const states = Map.groupBy(held, stateOf);
    return {
      done: states.get('done') ?? [],
      more: states.get('more') ?? [],
      busy: [...busy, ...(states.get('busy') ?? [])],
    };
  }

  /** Answers those who are busy: they are looked at another time. */
  private async evaluate(marks: readonly ContactMark[]): Promise<ReadonlySet<string>> {
    const contacts = [
      ...new Map(marks.map(({ projectId, contactId }) => [contactId, { projectId, contactId }])).values(),
    ];
    if (contacts.length === 0) return new Set();
    const live = await this.liveOf([...new Set(contacts.map(({ projectId }) => projectId))]);
    // Now is after every mark: whoever is looked at is seen as it was then, or later.
    const checked = await this.subjects.of(contacts, [...live.values()].flat());
    const now = await this.clock.now();
    const difference = noDifference();
    for (const each of checked) look(live.get(each.projectId) ?? [], each, now, difference);
    const { there, busy } = await this.upkeep.holdContacts([
      ...difference.entered,
      ...difference.left,
      ...difference.due,
    ]);
    await this.write(ofThose(there, busy, difference), live, (contactId) => there.has(contactId), now);
    return busy;
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
    const { entered } = difference;
    const { left } = await this.upkeep.write(difference);
    const segments = new Map([...live.values()].flat().map(({ segment }) => [segment.id, segment]));
    // Of contacts that are gone nobody is told.
    const published = (positions: readonly SegmentPair[]) =>
      positions.flatMap(({ projectId, contactId, segmentId }) => {
        const segment = isThere(contactId) ? segments.get(segmentId) : undefined;
        return segment ? [{ projectId, contactId, segment }] : [];
      });
    for (const [change, locations] of [
      ['segmentLeft', left],
      ['segmentEntered', entered],
    ] as const) {
      for (const [projectId, of] of Map.groupBy(published(locations), (location) => location.projectId))
        await this.events.publish(projectId, change, of, now);
    }
  }
}

/** Contacts that were deleted since they were looked at enter nothing, and no time is due for them; of those who are busy nothing is written. */
function ofThose(
  there: ReadonlySet<string>,
  busy: ReadonlySet<string>,
  { entered, left, due, notDue: undue }: Difference,
): Difference {
  const isThere = ({ contactId }: SegmentPair) => there.has(contactId);
  const isFree = ({ contactId }: SegmentPair) => !busy.has(contactId);
  return {
    entered: entered.filter(isThere),
    left: left.filter(isFree),
    due: due.filter(isThere),
    notDue: undue.filter(isFree),
  };
}
