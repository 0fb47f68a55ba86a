import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';
import { countDeltas, foldDeltas } from './delta-fold.js';

const atLeastMs = 30_000;
const atMostMs = 1_000;
const atOnce = 10_000;

/** Keeps the tails of unfolded changes short, so that reading a count stays cheap: a second after a commit, and from time to time. */
@Injectable()
export class FoldCounts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Counts');
  private readonly loop: Loop;
  private readonly unsubscribe: () => void;

  constructor(private readonly database: Database) {
    const onError = (error: unknown) => this.log.warn((error as Error).message);
    this.loop = new Loop({ everyMs: atLeastMs, restMs: atMostMs, work: () => this.fold(), onError });
    this.unsubscribe = database.onCommit(() => this.loop.wakeUp());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    return this.loop.stop();
  }

  private async fold(): Promise<void> {
    for (const each of countDeltas) while ((await foldDeltas(this.database, each, atOnce)) === atOnce);
  }
}
