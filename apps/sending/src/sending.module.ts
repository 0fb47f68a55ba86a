import { Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { resealingOf, type SealedTable } from '@posthorn/platform';
import { onDatabase, Database } from '@posthorn/database';
import { purgeOf } from '@posthorn/work';
import { AcceptingModule } from './accepting/accepting.module.js';
import { CampaignMailModule } from './campaign-mail/campaign-mail.module.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { DmarcIntake } from './dmarc/dmarc-intake.js';
import { DmarcRepository } from './dmarc/dmarc.repository.js';
import { DmarcService } from './dmarc/dmarc.service.js';
import { DomainsModule } from './domains/domains.module.js';
import { EmailsModule } from './emails/emails.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ProviderEventsModule } from './provider-events/provider-events.module.js';
import { ProviderPauses } from './provider-pauses/provider-pauses.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { OldDeliveriesRepository } from './retention/old-deliveries.repository.js';
import { OldDeliveriesWork } from './retention/old-deliveries.work.js';
import { MailReports } from './return-path/mail-reports.service.js';
import { ReportThreads } from './return-path/report-threads.js';
import { ValidationModule } from './validation/validation.module.js';
import { ReturnPathServer } from './return-path/return-path-server.js';
import { SendingConfig } from './config.js';
import { ErasedAddressHasher } from './erasures/erased-names.js';
import { ExplainedReadModel } from './explain/explained.read-model.js';
import { RecipientRules, ExplanationsService } from './explain/explanations.service.js';

const sealedTables: readonly SealedTable[] = [
  { table: 'dkim_keys', project: 'project_id', id: 'id', sealed: 'sealed' },
  { table: 'erasure_secrets', project: null, id: 'id', sealed: 'sealed' },
];

@Module({
  imports: [
    AcceptingModule,
    CampaignMailModule,
    EmailsModule,
    DeliveryModule,
    ProviderEventsModule,
    TemplatesModule,
    DomainsModule,
    SuppressionsModule,
    ErasuresModule,
    ProjectsModule,
    ValidationModule,
  ],
  providers: [
    ProviderPauses,
    resealingOf(secrets.rotateSending, sealedTables),
    ...onDatabase([OldDeliveriesRepository, DmarcRepository]),
    ...[DmarcIntake, DmarcService],
    purgeOf('sending.old-dmarc', DmarcRepository, (reports) => reports.deleteOld(5_000)),
    OldDeliveriesWork,
    MailReports,
    ReportThreads,
    ReturnPathServer,
    {
      provide: ExplainedReadModel,
      useFactory: (database: Database, hasher: ErasedAddressHasher, { providerKind }: SendingConfig) =>
        new ExplainedReadModel(database, hasher, providerKind),
      inject: [Database, ErasedAddressHasher, SendingConfig],
    },
    ExplanationsService,
    RecipientRules,
  ],
})
export class SendingModule {}
