import { Injectable } from '@nestjs/common';
import { segments, type Condition, type PreviewSegment, type SegmentPreview } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { LimitedRuns } from '@posthorn/platform';
import { ContactsConfig } from '../config.js';
import { connectionsOf } from '../connection-shares.js';
import { changesByItself, KnownPreviews } from './known-previews.js';
import { hasRoomBeside, SegmentConditions } from './segment-conditions.js';
import {
  SegmentPreviews,
  type PreviewContext,
  type PreviewedCondition,
} from './segment-previews.read-model.js';

@Injectable()
export class SegmentPreviewsService {
  private readonly runs: LimitedRuns;
  private readonly known = new KnownPreviews();

  constructor(
    private readonly conditions: SegmentConditions,
    private readonly previews: SegmentPreviews,
    private readonly clock: DatabaseClock,
    private readonly config: ContactsConfig,
  ) {
    this.runs = new LimitedRuns({
      what: 'previews of segments',
      perProject: 1,
      waitingPerProject: 128,
      waiting: 512,
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
    const key = JSON.stringify(tree);
    return this.runs.run(projectId, key, remainingMs, async () => {
      const {
        measuredMs,
        version: _,
        liveConditionBytes,
        ...found
      } = (await this.knownStill(projectId, key)) ?? (await this.previewNow(projectId, tree, key, deadline));
      const hasRoom = hasRoomBeside({ own: 0, others: liveConditionBytes }, tree);
      const upkeep = hasRoom && measuredMs <= this.config.segmentLiveMs ? 'LIVE' : 'SCHEDULED';
      return { ...found, cost: { upkeep, measuredMs } };
    });
  }

  /** What an equal preview found, unless a contact has changed since. */
  private async knownStill(
    projectId: string,
    key: string,
  ): Promise<(PreviewedCondition & PreviewContext) | null> {
    const known = this.known.of(projectId, key);
    if (!known) return null;
    const context = await this.previews.context(projectId);
    return context.version === known.version ? { ...known.found, ...context } : null;
  }

  private async previewNow(
    projectId: string,
    tree: Condition,
    key: string,
    deadline: Date | null,
  ): Promise<PreviewedCondition & PreviewContext> {
    const now = await this.clock.now();
    const limitMs = deadline ? Math.max(1, deadline.getTime() - now.getTime()) : null;
    const preview = await this.previews.preview(projectId, tree, now, limitMs);
    const { version, liveConditionBytes: _, ...found } = preview;
    if (version !== null && !changesByItself(tree)) this.known.put(projectId, key, { version, found });
    return preview;
  }
}
