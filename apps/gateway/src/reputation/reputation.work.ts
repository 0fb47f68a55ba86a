import { Injectable } from '@nestjs/common';
import { serviceCaller, systemProjectId } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { runAsCaller } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { GatewayConfig } from '../config.js';
import { ProjectsService } from '../projects/projects.service.js';
import { reputationWork } from './reputation-kind.js';
import { ReputationMails } from './reputation-mails.js';
import { verdictOf } from './reputation-rules.js';
import { ReputationRepository } from './reputation.repository.js';

/** Warns the owners at half of a limit, and disables the project at the limit; only the operator enables it again. */
@Injectable()
export class ReputationWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly reputation: ReputationRepository,
    private readonly projects: ProjectsService,
    private readonly mails: ReputationMails,
    private readonly config: GatewayConfig,
    runner: WorkRunner,
  ) {
    runner.register(reputationWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const { projectId } = batch.items[0]!;
    await runAsCaller(serviceCaller('gateway', projectId), () =>
      this.database.transaction(async () => {
        await this.evaluate(projectId);
        await batch.complete();
      }),
    );
  }

  private async evaluate(projectId: string): Promise<void> {
    await this.reputation.deleteOld(projectId);
    // The mail about disabled projects has to leave.
    if (projectId === systemProjectId) return;
    const counts = await this.reputation.countsOf(projectId);
    const verdict = verdictOf(counts);
    if (verdict === 'GOOD') return;
    const { name, disabled } = await this.projects.get(projectId);
    if (disabled) return;
    if (verdict === 'DISABLED' && this.config.reputationDisables) {
      await this.projects.disable(projectId, 'EMAIL_REPUTATION');
      await this.mails.disabled(projectId, name, counts);
    } else if (await this.reputation.mayWarn(projectId)) await this.mails.warn(projectId, name, counts);
  }
}
