import { Injectable } from '@nestjs/common';
import { WorkQueue, work } from '@posthorn/work';
import { GatewayConfig } from '../config.js';
import { ProjectsService } from '../projects/projects.service.js';
import { ReputationMails } from './reputation-mails.js';
import { verdictOf, type Counts } from './reputation-rules.js';
import { ReputationRepository } from './reputation.repository.js';

export interface Suspicion {
  sent?: number;
}

/** Evaluates the reputation of a project; one item for all events of the last second, and one that confirms a verdict. */
export const reputationWork = work<Suspicion>('gateway.reputation', {
  concurrency: 2,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 60_000 },
});
export const reputationKey = 'evaluate';
export const confirmationKey = 'confirm';

/** Events of what was sent may come later than those of what bounced; while many still come, no verdict is final. */
const grownBy = 1.02;

/** Warns the owners at half of a limit, and disables the project at the limit; only the operator enables it again. */
@Injectable()
export class ReputationJudgement {
  constructor(
    private readonly reputation: ReputationRepository,
    private readonly projects: ProjectsService,
    private readonly mails: ReputationMails,
    private readonly queue: WorkQueue,
    private readonly config: GatewayConfig,
  ) {}

  /** `sentBefore` is that of a verdict which this one may confirm. Joins the ambient transaction. */
  async judge(projectId: string, counts: Counts, sentBefore: number | null): Promise<void> {
    const verdict = verdictOf(counts);
    if (verdict === 'GOOD') return;
    const { name, disabled } = await this.projects.get(projectId);
    if (disabled) return;
    if (verdict === 'DISABLED' && this.config.reputationDisables) {
      if (sentBefore === null || counts.sent > sentBefore * grownBy)
        return this.confirmLater(projectId, counts);
      await this.projects.disable(projectId, 'EMAIL_REPUTATION');
      return this.mails.disabled(projectId, name, counts);
    }
    if (await this.reputation.mayWarn(projectId)) await this.mails.warn(projectId, name, counts);
  }

  private confirmLater(projectId: string, { sent }: Counts): Promise<void> {
    const delayMs = this.config.reputationConfirmSeconds * 1_000;
    return this.queue.enqueue(reputationWork, [
      { projectId, key: confirmationKey, payload: { sent }, delayMs },
    ]);
  }
}
