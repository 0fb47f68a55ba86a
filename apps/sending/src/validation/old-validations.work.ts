import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { EmailValidationsRepository } from './email-validations.repository.js';

const everyMs = 60 * 60_000;
const busyMs = 1_000;
const atOnce = 500;
const oldValidationsWork = work('sending.old-validations', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

@Injectable()
export class OldValidationsWork extends RepeatedWork {
  constructor(
    private readonly validations: EmailValidationsRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(oldValidationsWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.validations.deleteOld(atOnce)) === atOnce ? busyMs : everyMs;
  }
}
