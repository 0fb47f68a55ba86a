import { Injectable } from '@nestjs/common';
import { serviceCaller, systemProjectId } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { runAsCaller } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
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
