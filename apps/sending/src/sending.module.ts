import { Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { resealingOf } from '@posthorn/platform';
import { onDatabase, Database } from '@posthorn/database';
import { AcceptingModule } from './accepting/accepting.module.js';
import { CampaignMailModule } from './campaign-mail/campaign-mail.module.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { DomainsModule } from './domains/domains.module.js';
import { EmailsModule } from './emails/emails.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ProviderEventsModule } from './provider-events/provider-events.module.js';
import { ProviderPauses } from './provider-pauses/provider-pauses.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { sealedTables } from './secrets/sealed-tables.js';
import { OldDeliveriesRepository } from './retention/old-deliveries.repository.js';
import { OldDeliveriesWork } from './retention/old-deliveries.work.js';
import { MailReports } from './return-path/mail-reports.service.js';
import { ReportThreads } from './return-path/report-threads.js';
import { ReturnPathServer } from './return-path/return-path-server.js';
import { SendingConfig } from './config.js';
import { ErasedAddressHasher } from './erasures/erased-names.js';
import { ExplainedReadModel } from './explain/explained.read-model.js';
import { RecipientRules } from './explain/recipient-rules.js';
import { ExplanationsService } from './explain/explanations.service.js';

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
  ],
  providers: [
    ProviderPauses,
    resealingOf(secrets.rotateSending, sealedTables),
    ...onDatabase([OldDeliveriesRepository]),
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
