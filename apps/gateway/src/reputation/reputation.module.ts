import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SystemMailsModule } from '../system-mails/system-mails.module.js';
import { ReputationMails } from './reputation-mails.js';
import { ReputationRepository } from './reputation.repository.js';
import { ReputationSubscribers } from './reputation.subscribers.js';
import { ReputationPurgeWork } from './reputation-purge.work.js';
import { ReputationJudgement } from './reputation-judgement.js';
import { ReputationWork } from './reputation.work.js';

@Module({
  imports: [DomainsModule, ProjectsModule, SystemMailsModule],
  providers: [
    ReputationJudgement,
    ReputationMails,
    ReputationPurgeWork,
    ReputationRepository,
    ReputationWork,
    ReputationSubscribers,
  ],
})
export class ReputationModule {}
