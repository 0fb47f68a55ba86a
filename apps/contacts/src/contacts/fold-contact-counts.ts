import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop } from '@posthorn/messaging';
import { ContactCounts } from './contact-counts.read-model.js';

const everyMs = 1_000;
const atOnce = 10_000;

/** Keeps the tail of unfolded deltas short, so that reading a total stays cheap. */
@Injectable()
export class FoldContactCounts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('ContactCounts');
  private readonly loop = new Loop({ everyMs, work: () => this.fold(), onError: (error) => this.log.warn((error as Error).message) });

  constructor(private readonly counts: ContactCounts) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async fold(): Promise<void> {
    const folded = await this.counts.fold(atOnce);
    if (folded === atOnce) this.loop.ring();
  }
}
