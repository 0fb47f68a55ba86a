import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { WorkflowsConfig } from '../config.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { OldExecutionsRepository, OldCallsRepository } from './retention.repository.js';

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

const callsEveryMs = 3_600_000;
const busyMs = 1_000;
const callsAtOnce = 5_000;
const oldCallsWork = work('workflows.old-calls', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: callsEveryMs },
});

@Injectable()
export class OldCallsWork extends RepeatedWork {
  constructor(
    private readonly calls: OldCallsRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(oldCallsWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.calls.deleteSome(callsAtOnce)) ? busyMs : callsEveryMs;
  }
}
