import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop } from './loop.js';

/** What every process of a service does again and again, beside whatever is asked of it. */
export abstract class Upkeep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: Loop;

  protected constructor(name: string, everyMs: number, work: () => Promise<void>) {
    const log = new Logger(name);
    this.loop = new Loop({ everyMs, work, onError: (error) => log.warn((error as Error).message) });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }
}
