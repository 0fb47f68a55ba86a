import { Injectable, Logger } from '@nestjs/common';
import { Database, DatabaseClock } from '@posthorn/database';
import { MembershipFacts } from '../membership-facts.js';
import type { ContactMark } from '../segment-dirty.repository.js';
import { inOrder, type ConditionedSegment } from '../segment-order.js';
import { SegmentsRepository } from '../segments.repository.js';
import { look, noDifference, type Difference, type Place } from './look.js';
import { Subjects } from './subjects.read-model.js';
import { UpkeepRepository } from './upkeep.repository.js';

const atOnce = 500;
const projectsAtOnce = 20;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Keeps live segments: who changed, or whose time has come, is looked at, and what differs is one commit with its facts. */
@Injectable()
export class SegmentUpkeep {
  private readonly log = new Logger('Segments');
  /** The project that had the last turn. */
  private behind = beforeAll;
  /** Whether somebody still waits of those that had a turn since the first of all had one. */
  private more = false;

  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly upkeep: UpkeepRepository,
    private readonly subjects: Subjects,
    private readonly segments: SegmentsRepository,
    private readonly facts: MembershipFacts,
  ) {}

  /**
   * One handful, of which each of the next projects has its share: nobody waits for the million contacts of another, nor for one that somebody
   * holds. Answers whether more is waiting that can be looked at now.
   */
  async round(): Promise<boolean> {
    const now = await this.clock.now();
    const waiting = await this.upkeep.waiting(this.behind, now, projectsAtOnce);
    // Whatever becomes of these: the next are those behind them.
    this.behind = waiting.length === projectsAtOnce ? waiting.at(-1)! : beforeAll;
    const more = await this.turns(waiting, now);
    this.more ||= more;
    if (this.behind !== beforeAll) return true;
    const again = this.more;
    this.more = false;
    return again;
  }

  /** Where they fail together each has a turn of its own, so that only the one that cannot be looked at goes without. */
  private async turns(projectIds: readonly string[], now: Date): Promise<boolean> {
    try {
      return await this.database.transaction(() => this.turn(projectIds, now));
    } catch (error) {
      if (projectIds.length <= 1) {
        this.log.warn(`Project ${projectIds.join()} goes without its turn: ${(error as Error).message}`);
        return false;
      }
    }
    let more = false;
    for (const projectId of projectIds) more = (await this.turns([projectId], now)) || more;
    return more;
  }

  private async turn(projectIds: readonly string[], now: Date): Promise<boolean> {
    const held = await this.upkeep.hold(projectIds);
    if (held.length === 0) return false;
    const share = Math.floor(atOnce / held.length);
    const dirty = await this.upkeep.dirty(held, share);
    const due = await this.upkeep.due(held, now, share);
    const busy = await this.lookAt([...dirty, ...due]);
    const looked = dirty.filter(({ contactId }) => !busy.has(contactId));
    await this.upkeep.clean(looked);
    // Where all are busy there is nobody who can be looked at now.
    const isAnybodyFree = looked.length > 0 || due.some(({ contactId }) => !busy.has(contactId));
    return isAnybodyFree && (dirty.length >= share || due.length >= share);
  }

  /** Answers those who are busy: they are looked at another time. */
  private async lookAt(marks: readonly ContactMark[]): Promise<ReadonlySet<string>> {
    const contacts = [...new Map(marks.map(({ projectId, contactId }) => [contactId, { projectId, contactId }])).values()];
    if (contacts.length === 0) return new Set();
    const live = await this.liveOf([...new Set(contacts.map(({ projectId }) => projectId))]);
    // Now is after every mark: whoever is looked at is seen as it was then, or later.
    const looked = await this.subjects.of(contacts, [...live.values()].flat());
    const now = await this.clock.now();
    const difference = noDifference();
    for (const each of looked) look(live.get(each.projectId) ?? [], each, now, difference);
    const { there, busy } = await this.upkeep.holdContacts([...difference.entered, ...difference.left, ...difference.due]);
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
    const told = (places: readonly Place[]) =>
      places.flatMap(({ projectId, contactId, segmentId }) => {
        const segment = isThere(contactId) ? segments.get(segmentId) : undefined;
        return segment ? [{ projectId, contactId, segment }] : [];
      });
    for (const [change, places] of [
      ['segmentLeft', left],
      ['segmentEntered', entered],
    ] as const) {
      for (const [projectId, of] of Map.groupBy(told(places), (place) => place.projectId))
        await this.facts.tell(projectId, change, of, now);
    }
  }
}

/** Contacts that were deleted since they were looked at enter nothing, and no time is due for them; of those who are busy nothing is written. */
function ofThose(there: ReadonlySet<string>, busy: ReadonlySet<string>, { entered, left, due, undue }: Difference): Difference {
  const isThere = ({ contactId }: Place) => there.has(contactId);
  const isFree = ({ contactId }: Place) => !busy.has(contactId);
  return { entered: entered.filter(isThere), left: left.filter(isFree), due: due.filter(isThere), undue: undue.filter(isFree) };
}
