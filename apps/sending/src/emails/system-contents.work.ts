import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { SystemContentsRepository } from './system-contents.repository.js';

/** While some wait to be delivered. */
const busyMs = 5_000;
const idleMs = 30_000;
export const systemContentsWork = work('sending.system-contents', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: idleMs },
});

/** Forgets what system mails said once they are delivered or given up (docs/guarantees.md §6). */
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
