import { Module, type Provider as NestProvider, type Type } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { AcceptEmailsService } from './accepting/accept-emails.js';
import { AcceptingRepository } from './accepting/accepting.repository.js';
import { SettleSendService } from './accepting/settle-send.js';
import { AllowancesRepository } from './allowances/allowances.repository.js';
import { SendingConfig } from './config.js';
import { ClaimsRepository } from './delivery/claims.repository.js';
import { DeliverBatch } from './delivery/deliver-batch.js';
import { DeliveryBell } from './delivery/delivery-bell.js';
import { DeliveryCounts } from './delivery/delivery-counts.read-model.js';
import { DeliveryMetrics } from './delivery/delivery.metrics.js';
import { HandOffMarks } from './delivery/hand-off-marks.repository.js';
import { Lease } from './delivery/lease.js';
import { LeasesRepository } from './delivery/leases.repository.js';
import { OutcomeRecorder } from './delivery/outcome-recorder.js';
import { OutcomesRepository } from './delivery/outcomes.repository.js';
import { Pace } from './delivery/pace.js';
import { Provider } from './delivery/provider.js';
import { ReadyMessages } from './delivery/ready-messages.js';
import { Sweeper } from './delivery/sweeper.js';
import { DomainsRepository } from './domains/domains.repository.js';
import { DomainsService } from './domains/domains.service.js';
import { SenderDirectory } from './domains/sender-directory.js';
import { SendersHandlers } from './domains/senders.handlers.js';
import { EmailsHandlers } from './emails/emails.handlers.js';
import { EmailsRepository } from './emails/emails.repository.js';
import { EmailsService } from './emails/emails.service.js';
import { SystemContents } from './emails/system-contents.js';
import { SystemContentsRepository } from './emails/system-contents.repository.js';
import { ProjectSnapshot } from './projects/project-snapshot.js';
import { ProjectStates } from './projects/project-states.read-model.js';
import { ProjectsSubscribers } from './projects/projects.subscribers.js';
import { SuppressionsRepository } from './suppressions/suppressions.repository.js';
import { SuppressionsService } from './suppressions/suppressions.service.js';

/** Repositories and read models need nothing but the database. */
const onDatabase = (room: Type): NestProvider => ({
  provide: room,
  useFactory: (database: Database) => new room(database) as object,
  inject: [Database],
});

@Module({
  controllers: [EmailsHandlers, SendersHandlers, ProjectsSubscribers],
  providers: [
    ...[AcceptingRepository, AllowancesRepository, ClaimsRepository, DomainsRepository, EmailsRepository].map(onDatabase),
    ...[DeliveryCounts, LeasesRepository, OutcomesRepository, ProjectStates, SuppressionsRepository, SystemContentsRepository].map(
      onDatabase,
    ),
    {
      provide: HandOffMarks,
      useFactory: (database: Database, { provider, ratePerSecond }: SendingConfig) =>
        new HandOffMarks(database, new Pace({ provider, perSecond: ratePerSecond })),
      inject: [Database, SendingConfig],
    },
    AcceptEmailsService,
    SettleSendService,
    EmailsService,
    SystemContents,
    DomainsService,
    SenderDirectory,
    SuppressionsService,
    ProjectSnapshot,
    DeliveryBell,
    Lease,
    Provider,
    ReadyMessages,
    OutcomeRecorder,
    DeliverBatch,
    Sweeper,
    DeliveryMetrics,
  ],
})
export class SendingModule {}
