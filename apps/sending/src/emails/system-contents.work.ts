import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { SystemContentsRepository } from './system-contents.repository.js';

const busyMs = 5_000;
const idleMs = 30_000;
export const systemContentsWork = work('sending.system-contents', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: idleMs },
});

/** Deletes the content of system mails once they are delivered or failed (docs/guarantees.md §6). */
@Injectable()
export class SystemContentsWork extends RepeatedWork {
  constructor(
    private readonly contents: SystemContentsRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(systemContentsWork, queue, runner);
  }

  protected async round(): Promise<number> {
    await this.contents.deleteDelivered();
    return (await this.contents.areSome()) ? busyMs : idleMs;
  }
}
