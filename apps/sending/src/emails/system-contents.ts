import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop } from '@posthorn/messaging';
import { SystemContentsRepository } from './system-contents.repository.js';

const everyMs = 5_000;

/** Forgets what system mails said once they are delivered or given up (guarantees.md §6). */
@Injectable()
export class SystemContents implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('SystemContents');
  private readonly loop: Loop;

  constructor(rows: SystemContentsRepository) {
    this.loop = new Loop({ everyMs, work: () => rows.forgetDelivered(), onError: (error) => this.log.warn((error as Error).message) });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }
}
