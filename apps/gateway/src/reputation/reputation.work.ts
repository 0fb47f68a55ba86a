import { Injectable } from '@nestjs/common';
import { serviceCaller, systemProjectId } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { runAsCaller } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler, RepeatedWork, work, WorkQueue } from '@posthorn/work';
import {
  ReputationJudgement,
  confirmationKey,
  reputationWork,
  type Suspicion,
} from './reputation-judgement.js';
import { ReputationRepository } from './reputation.repository.js';

@Injectable()
export class ReputationWork implements WorkHandler<Suspicion> {
  constructor(
    private readonly database: Database,
    private readonly reputation: ReputationRepository,
    private readonly judgement: ReputationJudgement,
    runner: WorkRunner,
  ) {
    runner.register(reputationWork, this);
  }

  async run(batch: WorkBatch<Suspicion>): Promise<void> {
    const { projectId, key, payload } = batch.items[0]!;
    await runAsCaller(serviceCaller('gateway', projectId), () =>
      this.database.transaction(async () => {
        // The mail about disabled projects has to leave.
        if (projectId !== systemProjectId) {
          const counts = await this.reputation.countsOf(projectId);
          await this.judgement.judge(
            projectId,
            counts,
            key === confirmationKey ? (payload.sent ?? null) : null,
          );
        }
        await batch.complete();
      }),
    );
  }
}

const everyMs = 3_600_000;
const busyMs = 1_000;
const atOnce = 5_000;
const purgeWork = work('gateway.reputation-purges', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

@Injectable()
export class ReputationPurgeWork extends RepeatedWork {
  constructor(
    private readonly reputation: ReputationRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(purgeWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.reputation.deleteOld(atOnce)) === atOnce ? busyMs : everyMs;
  }
}
