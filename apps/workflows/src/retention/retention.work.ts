import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { WorkflowsConfig } from '../config.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { OldExecutionsRepository } from './retention.repository.js';

const oldExecutionWork = work('workflows.old-executions');
const everyMs = 10 * 60_000;
const atOnce = 1_000;

@Injectable()
export class OldExecutionsWork extends RepeatedWork {
  constructor(
    private readonly executions: OldExecutionsRepository,
    private readonly config: WorkflowsConfig,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(oldExecutionWork, queue, runner);
  }

  protected async round(): Promise<number> {
    const { retentionExecutionsDays: executions, retentionVersionsDays: versions } = this.config;
    return (await this.executions.deleteSome({ executions, versions }, atOnce)) ? 0 : everyMs;
  }
}

const awaitedPurgeWork = work('workflows.awaited-purges');

/** Removes events that no wait can be about any more. */
@Injectable()
export class AwaitedPurges extends RepeatedWork {
  constructor(
    private readonly waits: WaitsRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(awaitedPurgeWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.waits.purge()) > 0 ? 0 : everyMs;
  }
}
