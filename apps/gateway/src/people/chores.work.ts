import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { ExpiredRepository } from './expired.repository.js';

const everyMs = 10 * 60_000;
const soonMs = 1_000;
const choresWork = work('gateway.chores', { retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs } });

@Injectable()
export class ChoresWork extends RepeatedWork {
  constructor(
    private readonly expired: ExpiredRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(choresWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.expired.forget()) ? everyMs : soonMs;
  }
}
