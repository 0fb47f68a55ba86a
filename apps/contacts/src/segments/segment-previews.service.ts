import { Injectable } from '@nestjs/common';
import { segments, type Condition, type PreviewSegment, type SegmentPreview } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { LimitedRuns } from '@posthorn/platform';
import { ContactsConfig } from '../config.js';
import { connectionsOf } from '../connection-shares.js';
import { SegmentConditions } from './segment-conditions.js';
import { SegmentPreviews } from './segment-previews.read-model.js';

@Injectable()
export class SegmentPreviewsService {
  private readonly runs: LimitedRuns;

  constructor(
    private readonly conditions: SegmentConditions,
    private readonly previews: SegmentPreviews,
    private readonly clock: DatabaseClock,
    private readonly config: ContactsConfig,
  ) {
    this.runs = new LimitedRuns({
      what: 'previews of segments',
      perProject: 1,
      waitingPerProject: 8,
      waiting: 32,
      running: connectionsOf(config.databasePool, 'segmentPreviews'),
    });
  }

  @Handles(segments.preview)
  async preview({
    caller: { projectId },
    body: { condition },
    deadline,
  }: Incoming<PreviewSegment>): Promise<SegmentPreview> {
    const tree = await this.conditions.read(projectId, condition);
    const remainingMs = await this.clock.msUntil(deadline);
    return this.runs.run(projectId, JSON.stringify(tree), remainingMs, () =>
      this.previewNow(projectId, tree, deadline),
    );
  }

  private async previewNow(
    projectId: string,
    tree: Condition,
    deadline: Date | null,
  ): Promise<SegmentPreview> {
    const now = await this.clock.now();
    const limitMs = deadline ? Math.max(1, deadline.getTime() - now.getTime()) : null;
    const { measuredMs, estimate, ...found } = await this.previews.preview(projectId, tree, now, limitMs);
    const hasRoom = await this.conditions.hasRoom(projectId, null, tree);
    const isLive = hasRoom && measuredMs <= this.config.segmentLiveMs;
    return {
      ...found,
      cost: { upkeep: isLive ? 'LIVE' : 'SCHEDULED', measuredMs, estimate },
    };
  }
}
