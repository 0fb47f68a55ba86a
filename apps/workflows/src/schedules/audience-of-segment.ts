import type { Audience } from '@posthorn/contracts';

/** All contacts without one. */
export const audienceOfSegment = (segmentId: string | null): Audience => ({
  audienceType: segmentId === null ? 'ALL' : 'SEGMENT',
  audienceCondition: null,
  segmentId,
  listId: null,
  excludeSegmentIds: [],
  excludeListIds: [],
});
