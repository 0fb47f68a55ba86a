import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop } from '@posthorn/messaging';
import { ExpiredRepository } from './expired.repository.js';

const everyMs = 10 * 60_000;

/** Forgets what has expired. */
@Injectable()
export class PeopleUpkeep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('PeopleUpkeep');
  private readonly loop: Loop;

  constructor(expired: ExpiredRepository) {
    this.loop = new Loop({ everyMs, work: () => expired.forget(), onError: (error) => this.log.warn((error as Error).message) });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }
}
