import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';
import { countDeltas, foldDeltas } from './delta-fold.js';

const everyMs = 30_000;
const minIntervalMs = 1_000;
const batchSize = 10_000;

/** Folds deltas soon after each commit, so that reading a count stays cheap. */
@Injectable()
export class FoldCounts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Counts');
  private readonly loop: Loop;
  private readonly unsubscribe: () => void;

  constructor(private readonly database: Database) {
    const onError = (error: unknown) => this.log.warn((error as Error).message);
    this.loop = new Loop({ everyMs, minIntervalMs, work: () => this.fold(), onError });
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
    for (const each of countDeltas) while ((await foldDeltas(this.database, each, batchSize)) === batchSize);
  }
}
