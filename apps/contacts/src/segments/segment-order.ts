import { filtersOf, type Condition } from '@posthorn/contracts';
import { storedCondition } from './parsing/parse-condition.js';
import type { SegmentRow } from './segment.entity.js';

export interface ConditionedSegment {
  segment: SegmentRow;
  condition: Condition;
}

export const namedBy = (condition: Condition): string[] => [
  ...new Set(filtersOf(condition).flatMap((filter) => (filter.field === 'segment' ? [filter.id] : []))),
];

/** Each segment after those that it refers to, so that one pass over them evaluates a contact completely. */
export function inOrder(
  rows: readonly SegmentRow[],
  onUnreadable: (error: Error, segment: SegmentRow) => void = (error) => {
    throw error;
  },
): ConditionedSegment[] {
  const open = new Map(rows.flatMap((segment) => read(segment, onUnreadable)));
  const ordered: ConditionedSegment[] = [];
  const visit = (each: ConditionedSegment): void => {
    if (!open.delete(each.segment.id)) return;
    for (const id of namedBy(each.condition)) if (open.has(id)) visit(open.get(id)!);
    ordered.push(each);
  };
  for (const each of [...open.values()]) visit(each);
  return ordered;
}

function read(
  segment: SegmentRow,
  onUnreadable: (error: Error, segment: SegmentRow) => void,
): [string, ConditionedSegment][] {
  try {
    return [[segment.id, { segment, condition: storedCondition(segment.condition) }]];
  } catch (error) {
    onUnreadable(error as Error, segment);
    return [];
  }
}
