import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { AcceptBatchService } from './accept-batch.js';
import { AcceptEmailsService } from './accept-emails.js';
import { AcceptingRepository } from './accepting.repository.js';
import { ConfinedSends } from './confined-sends.js';
import { PrepareSend } from './prepare-send.js';
import { SettleSendService } from './settle-send.js';

@Module({
  imports: [ProjectsModule, DomainsModule, TemplatesModule],
  providers: [
    ...onDatabase([AcceptingRepository]),
    AcceptBatchService,
    AcceptEmailsService,
    ConfinedSends,
    PrepareSend,
    SettleSendService,
  ],
  exports: [AcceptBatchService, AcceptEmailsService, AcceptingRepository, PrepareSend, SettleSendService],
})
export class AcceptingModule {}
