import { Module } from '@nestjs/common';
import { Database, onDatabase } from '@posthorn/database';
import { AcceptingModule } from '../accepting/accepting.module.js';
import { ComposingModule } from '../composing/composing.module.js';
import { SendingConfig } from '../config.js';
import { ErasedAddressHasher } from '../erasures/erased-names.js';
import { MarketingHandOffs } from '../frequency/marketing-hand-offs.repository.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { ChoresWork } from './chores.work.js';
import { ClaimsRepository } from './claiming/claims.repository.js';
import { Lease } from './claiming/lease.js';
import { LeasesRepository } from './claiming/leases.repository.js';
import { Pace } from '../pacing/pace.js';
import { ReadyMessages } from './claiming/ready-messages.js';
import { DeliveryCounts } from './delivery-counts.read-model.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { DeliveryMetrics } from './delivery.metrics.js';
import { HandOffDispatcher } from './hand-off/hand-off-dispatcher.js';
import { HandOffSignals } from './hand-off/hand-off-signals.js';
import { HandOffMarks } from './hand-off/hand-off-marks.repository.js';
import { Provider } from './hand-off/provider.js';
import { OutcomeRecorder } from './outcomes/outcome-recorder.js';
import { OutcomesRepository } from './outcomes/outcomes.repository.js';
import { OverdueMail } from './overdue/overdue-mail.js';
import { OverdueMailRepository } from './overdue/overdue-mail.repository.js';
import { ProviderEventsModule } from '../provider-events/provider-events.module.js';
import { Sweeper } from './sweeper.js';
import { DomainsModule } from '../domains/domains.module.js';
import { SlowDowns } from '../pacing/slow-downs.js';
import { SlowDownsRepository } from '../pacing/slow-downs.repository.js';

@Module({
  imports: [
    AcceptingModule,
    ComposingModule,
    ProjectsModule,
    ErasuresModule,
    ProviderEventsModule,
    DomainsModule,
  ],
  providers: [
    ...onDatabase([
      MarketingHandOffs,
      ClaimsRepository,
      DeliveryCounts,
      LeasesRepository,
      OutcomesRepository,
      OverdueMailRepository,
      SlowDownsRepository,
    ]),
    {
      provide: HandOffMarks,
      useFactory: (
        database: Database,
        { providerKind, ratePerSecond, warmUp }: SendingConfig,
        hasher: ErasedAddressHasher,
        signals: HandOffSignals,
      ) =>
        new HandOffMarks(
          database,
          new Pace({ providerKind, perSecond: ratePerSecond }),
          hasher,
          warmUp,
          signals,
        ),
      inject: [Database, SendingConfig, ErasedAddressHasher, HandOffSignals],
    },
    {
      provide: HandOffSignals,
      useFactory: ({ connections }: SendingConfig) => new HandOffSignals(connections),
      inject: [SendingConfig],
    },
    ChoresWork,
    HandOffDispatcher,
    DeliveryMetrics,
    Lease,
    OutcomeRecorder,
    OverdueMail,
    Provider,
    ReadyMessages,
    Sweeper,
    SlowDowns,
  ],
})
export class DeliveryModule {}
