import { matchCondition, type Subject } from '../matching/match-condition.js';
import type { ConditionedSegment } from '../segment-order.js';

const maxMs = 366 * 86_400_000;

export interface EvaluatedContact {
  projectId: string;
  contactId: string;
  subject: Subject | null;
  segments: ReadonlySet<string>;
  due: ReadonlyMap<string, number>;
}

export interface SegmentPair {
  projectId: string;
  contactId: string;
  segmentId: string;
}

export interface Difference {
  entered: SegmentPair[];
  left: SegmentPair[];
  due: (SegmentPair & { dueAt: Date })[];
  notDue: SegmentPair[];
}

export const noDifference = (): Difference => ({ entered: [], left: [], due: [], notDue: [] });

// Yields after each segment, so that the caller can let others go on. What cannot be evaluated stays as it
// is, so that it stops neither other contacts nor other segments.
export function* evaluate(
  live: readonly ConditionedSegment[],
  known: EvaluatedContact,
  now: Date,
  difference: Difference,
  onError: (error: Error, pair: SegmentPair) => void,
): Generator<void> {
  const { projectId, contactId, subject } = known;
  const pairOf = (segmentId: string): SegmentPair => ({ projectId, contactId, segmentId });
  if (!subject) {
    difference.left.push(...[...known.segments].map(pairOf));
    difference.notDue.push(...[...known.due.keys()].map(pairOf));
    return;
  }
  const segments = new Set(known.segments);
  const due = new Map<string, number>();
  for (const { segment, condition } of live) {
    yield;
    const match = attempt(
      () => matchCondition(condition, { ...subject, segments }, now),
      (error) => onError(error, pairOf(segment.id)),
    );
    if (!match) continue;
    const { matches, until } = match;
    if (until !== null) due.set(segment.id, Math.min(until, now.getTime() + maxMs));
    if (matches === segments.has(segment.id)) continue;
    if (matches) segments.add(segment.id);
    else segments.delete(segment.id);
    difference[matches ? 'entered' : 'left'].push(pairOf(segment.id));
  }
  difference.notDue.push(...[...known.due.keys()].filter((id) => !due.has(id)).map(pairOf));
  for (const [id, at] of due)
    if (known.due.get(id) !== at) difference.due.push({ ...pairOf(id), dueAt: new Date(at) });
}

function attempt<T>(work: () => T, onError: (error: Error) => void): T | null {
  try {
    return work();
  } catch (error) {
    onError(error as Error);
    return null;
  }
}
