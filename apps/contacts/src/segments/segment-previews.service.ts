import { Injectable } from '@nestjs/common';
import type { PreviewSegment, SegmentPreview } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { ContactsConfig } from '../config.js';
import { SegmentConditions } from './segment-conditions.js';
import { SegmentPreviews } from './segment-previews.read-model.js';

@Injectable()
export class SegmentPreviewsService {
  constructor(
    private readonly conditions: SegmentConditions,
    private readonly previews: SegmentPreviews,
    private readonly clock: DatabaseClock,
    private readonly config: ContactsConfig,
  ) {}

  async preview(projectId: string, { condition }: PreviewSegment): Promise<SegmentPreview> {
    const tree = await this.conditions.read(projectId, condition);
    const { measuredMs, estimate, ...found } = await this.previews.preview(
      projectId,
      tree,
      await this.clock.now(),
    );
    return {
      ...found,
      cost: { upkeep: measuredMs <= this.config.segmentLiveMs ? 'LIVE' : 'SCHEDULED', measuredMs, estimate },
    };
  }
}
