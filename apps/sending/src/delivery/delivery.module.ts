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
import { DeliveryWakeUpModule } from './delivery-wake-up.module.js';
import { DeliveryMetrics } from './delivery.metrics.js';
import { HandOffDispatcher } from './hand-off/hand-off-dispatcher.js';
import { HandOffMarks } from './hand-off/hand-off-marks.repository.js';
import { Provider } from './hand-off/provider.js';
import { OutcomeRecorder } from './outcomes/outcome-recorder.js';
import { OutcomesRepository } from './outcomes/outcomes.repository.js';
import { OverdueMail } from './overdue/overdue-mail.js';
import { OverdueMailRepository } from './overdue/overdue-mail.repository.js';
import { PacingModule } from '../pacing/pacing.module.js';
import { SimulatorModule } from '../simulator/simulator.module.js';
import { Sweeper } from './sweeper.js';

@Module({
  imports: [
    AcceptingModule,
    ComposingModule,
    DeliveryWakeUpModule,
    ErasuresModule,
    PacingModule,
    SimulatorModule,
  ],
  providers: [
    ...onDatabase([
      MarketingHandOffs,
      ClaimsRepository,
      DeliveryCounts,
      LeasesRepository,
      OutcomesRepository,
      OverdueMailRepository,
    ]),
    {
      provide: HandOffMarks,
      useFactory: (
        database: Database,
        { providerKind, ratePerSecond, warmUp }: SendingConfig,
        hasher: ErasedAddressHasher,
      ) => new HandOffMarks(database, new Pace({ providerKind, perSecond: ratePerSecond }), hasher, warmUp),
      inject: [Database, SendingConfig, ErasedAddressHasher],
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
  ],
})
export class DeliveryModule {}
