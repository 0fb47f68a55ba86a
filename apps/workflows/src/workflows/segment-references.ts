import { Injectable } from '@nestjs/common';
import { audiences, type Caller, type Audience } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

const time = { timeoutShare: 0.6 };

@Injectable()
export class SegmentReferences {
  constructor(private readonly bus: Bus) {}

  /** The error of contacts points to `segmentId`, which is what a workflow calls it, too. */
  async refuseUnknown(caller: Caller, segmentId: string | null | undefined): Promise<void> {
    if (!segmentId) return;
    await this.bus.call(audiences.validate, caller, audienceOfSegment(segmentId), time);
  }
}

/** All contacts without one. */
export const audienceOfSegment = (segmentId: string | null): Audience => ({
  audienceType: segmentId === null ? 'ALL' : 'SEGMENT',
  audienceCondition: null,
  segmentId,
  listId: null,
  excludeSegmentIds: [],
  excludeListIds: [],
});
