import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop } from '@posthorn/messaging';
import { SegmentCounts } from './segment-counts.read-model.js';

const everyMs = 1_000;
const atOnce = 10_000;

/** Keeps the tail of unfolded deltas short, so that reading a count stays cheap. */
@Injectable()
export class FoldSegmentCounts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('SegmentCounts');
  private readonly loop = new Loop({ everyMs, work: () => this.fold(), onError: (error) => this.log.warn((error as Error).message) });

  constructor(private readonly counts: SegmentCounts) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async fold(): Promise<void> {
    if ((await this.counts.fold(atOnce)) === atOnce) this.loop.ring();
  }
}
