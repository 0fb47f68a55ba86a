import { Injectable } from '@nestjs/common';
import { audiences, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

const time = { timeoutShare: 0.6 };
const everybody = {
  audienceCondition: null,
  listId: null,
  excludeSegmentIds: [],
  excludeListIds: [],
};

@Injectable()
export class SegmentReferences {
  constructor(private readonly bus: Bus) {}

  /** The error of contacts points to `segmentId`, which is what a workflow calls it, too. */
  async refuseUnknown(caller: Caller, segmentId: string | null | undefined): Promise<void> {
    if (!segmentId) return;
    const audience = { ...everybody, audienceType: 'SEGMENT' as const, segmentId };
    await this.bus.call(audiences.validate, caller, audience, time);
  }
}
