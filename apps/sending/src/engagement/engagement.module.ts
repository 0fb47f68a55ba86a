import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { EmailsModule } from '../emails/emails.module.js';
import { EngagementService } from './engagement.service.js';
import { EngagementsRepository } from './engagements.repository.js';

@Module({
  imports: [EmailsModule],
  providers: [...onDatabase([EngagementsRepository]), EngagementService],
  exports: [EngagementsRepository],
})
export class EngagementModule {}
