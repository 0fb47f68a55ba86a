import { Injectable, Logger } from '@nestjs/common';
import { DatabaseClock } from '@posthorn/database';
import { WorkQueue } from '@posthorn/work';
import { setImmediate } from 'node:timers/promises';
import { MembershipEvents } from '../members/membership-events.js';
import type { ContactMark } from '../segment-dirty.repository.js';
import { segmentRefreshWork } from '../segment-kinds.js';
import { inOrder, type ConditionedSegment } from '../segment-order.js';
import type { SegmentRow } from '../segment.entity.js';
import { SegmentsRepository } from '../segments.repository.js';
import {
  evaluate,
  noDifference,
  type Difference,
  type EvaluatedContact,
  type SegmentPair,
} from './evaluate.js';
import { Subjects } from './subjects.read-model.js';
import { UpkeepRepository } from './upkeep.repository.js';

const sliceMs = 10;

/** Divides a long computation into slices, between which the process serves others, and into turns of equal length. */
class Slices {
  private slice = performance.now();
  private turnEnd = 0;

  constructor(private readonly turnMs: number) {}

  begin(): void {
    this.turnEnd = performance.now() + this.turnMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.turnEnd;
  }

  get isSliceOver(): boolean {
    return performance.now() - this.slice >= sliceMs;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.slice = performance.now();
  }
}

const batchSize = 500;
const unreadableDelayMs = 120_000;
/** Of evaluation, for all projects of a round together: it runs in a transaction, and beside the requests of everybody. */
const roundMs = 500;

interface Evaluated {
  busy: ReadonlySet<string>;
  /** Not evaluated, because the time of their project was over. */
  unreached: ReadonlySet<string>;
}

interface Round {
  done: string[];
  more: string[];
  busy: string[];
}

/** Keeps live segments up to date: evaluates contacts that changed or are due, and writes the differences and their events in one commit. */
@Injectable()
export class SegmentUpkeep {
  private readonly log = new Logger('Segments');

  constructor(
    private readonly clock: DatabaseClock,
    private readonly upkeep: UpkeepRepository,
    private readonly subjects: Subjects,
    private readonly segments: SegmentsRepository,
    private readonly events: MembershipEvents,
    private readonly queue: WorkQueue,
  ) {}

  async round(projectIds: readonly string[], now: Date): Promise<Round> {
    const locked = await this.upkeep.lockProjects(projectIds);
    const busy = projectIds.filter((projectId) => !locked.includes(projectId));
    if (locked.length === 0) return { done: [], more: [], busy };
    const share = Math.max(1, Math.floor(batchSize / locked.length));
    const dirty = await this.upkeep.dirty(locked, share);
    const due = await this.upkeep.due(locked, now, share);
    const { busy: busyContacts, unreached } = await this.evaluateAll(alternating(dirty, due));
    const isOpen = ({ contactId }: ContactMark) => busyContacts.has(contactId) || unreached.has(contactId);
    const checked = dirty.filter((mark) => !isOpen(mark));
    await this.upkeep.removeMarks(checked);
    const stateOf = (projectId: string): keyof Round => {
      const [marked, timed] = [dirty, due].map((marks) =>
        marks.filter((mark) => mark.projectId === projectId),
      ) as [ContactMark[], ContactMark[]];
      const waiting = [...marked, ...timed];
      if (waiting.some(({ contactId }) => unreached.has(contactId))) return 'more';
      if (waiting.some(({ contactId }) => busyContacts.has(contactId)))
        return waiting.every(({ contactId }) => busyContacts.has(contactId)) ? 'busy' : 'more';
      return marked.length >= share || timed.length >= share ? 'more' : 'done';
    };
    const states = Map.groupBy(locked, stateOf);
    return {
      done: states.get('done') ?? [],
      more: states.get('more') ?? [],
      busy: [...busy, ...(states.get('busy') ?? [])],
    };
  }

  private async evaluateAll(marks: readonly ContactMark[]): Promise<Evaluated> {
    const contacts = [
      ...new Map(marks.map(({ projectId, contactId }) => [contactId, { projectId, contactId }])).values(),
    ];
    if (contacts.length === 0) return { busy: new Set(), unreached: new Set() };
    const live = await this.liveOf([...new Set(contacts.map(({ projectId }) => projectId))]);
    // The time is read after the contacts, so that it is not before any of their changes.
    const checked = await this.subjects.of(contacts, [...live.values()].flat());
    const now = await this.clock.now();
    const { difference, unreached } = await this.differences(checked, live, now);
    const { existing, busy } = await this.upkeep.lockContacts([
      ...difference.entered,
      ...difference.left,
      ...difference.due,
    ]);
    await this.write(writable(difference, existing, busy), live, existing, now);
    return { busy, unreached };
  }

  /** Each project has an even share of the round's time, and at least one contact; the others wait for its next round. */
  private async differences(
    checked: readonly EvaluatedContact[],
    live: Map<string, ConditionedSegment[]>,
    now: Date,
  ): Promise<{ difference: Difference; unreached: Set<string> }> {
    const difference = noDifference();
    const unreached = new Set<string>();
    const byProject = Map.groupBy(checked, ({ projectId }) => projectId);
    const turns = new Slices(roundMs / byProject.size);
    for (const [projectId, contacts] of byProject) {
      turns.begin();
      for (const [index, each] of contacts.entries()) {
        if (index > 0 && turns.isOver) unreached.add(each.contactId);
        else
          for (const _ of evaluate(live.get(projectId) ?? [], each, now, difference, this.onFailed))
            if (turns.isSliceOver) await turns.pause();
      }
    }
    return { difference, unreached };
  }

  private readonly onFailed = (error: Error, { segmentId, contactId }: SegmentPair): void =>
    this.log.error(`segment ${segmentId} cannot be evaluated for contact ${contactId}: ${error.message}`);

  private async liveOf(projectIds: readonly string[]): Promise<Map<string, ConditionedSegment[]>> {
    const rows = await this.segments.live(projectIds);
    const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
    const unreadable: SegmentRow[] = [];
    const onUnreadable = (error: Error, segment: SegmentRow) => {
      unreadable.push(segment);
      this.log.error(`the condition of segment ${segment.id} cannot be read: ${error.message}`);
    };
    const live = new Map([...byProject].map(([projectId, rows]) => [projectId, inOrder(rows, onUnreadable)]));
    await this.refreshLater(unreadable);
    return live;
  }

  /** Its members stay as they are while the other segments go on; a release that can read it evaluates all contacts. */
  private refreshLater(segments: readonly SegmentRow[]): Promise<void> {
    return this.queue.enqueue(
      segmentRefreshWork,
      segments.map(({ projectId, id }) => ({
        projectId,
        key: id,
        delayMs: unreadableDelayMs,
        payload: { requested: true },
      })),
    );
  }

  private async write(
    difference: Difference,
    live: Map<string, ConditionedSegment[]>,
    existing: ReadonlySet<string>,
    now: Date,
  ): Promise<void> {
    const { entered } = difference;
    const { left } = await this.upkeep.write(difference);
    const segments = new Map([...live.values()].flat().map(({ segment }) => [segment.id, segment]));
    // Nothing is published about deleted contacts.
    const published = (pairs: readonly SegmentPair[]) =>
      pairs.flatMap(({ projectId, contactId, segmentId }) => {
        const segment = existing.has(contactId) ? segments.get(segmentId) : undefined;
        return segment ? [{ projectId, contactId, segment }] : [];
      });
    for (const [change, pairs] of [
      ['segmentLeft', left],
      ['segmentEntered', entered],
    ] as const) {
      for (const [projectId, of] of Map.groupBy(published(pairs), (pair) => pair.projectId))
        await this.events.publish(projectId, change, of, now);
    }
  }
}

/** So that neither waits for the other where the time of a project is over before all. */
const alternating = <T>(some: readonly T[], others: readonly T[]): T[] =>
  Array.from({ length: Math.max(some.length, others.length) }, (_, index) => [some[index], others[index]])
    .flat()
    .filter((each) => each !== undefined);

/** Deleted contacts enter nothing, and nothing is written about locked ones. */
function writable(
  { entered, left, due, notDue }: Difference,
  existing: ReadonlySet<string>,
  busy: ReadonlySet<string>,
): Difference {
  const exists = ({ contactId }: SegmentPair) => existing.has(contactId);
  const isFree = ({ contactId }: SegmentPair) => !busy.has(contactId);
  return {
    entered: entered.filter(exists),
    left: left.filter(isFree),
    due: due.filter(exists),
    notDue: notDue.filter(isFree),
  };
}
