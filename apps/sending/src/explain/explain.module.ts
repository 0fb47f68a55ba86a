import { Module } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { AcceptingModule } from '../accepting/accepting.module.js';
import { AllowancesModule } from '../allowances/allowances.module.js';
import { SendingConfig } from '../config.js';
import { ErasedAddressHasher } from '../erasures/erased-names.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SimulatorModule } from '../simulator/simulator.module.js';
import { ExplainedReadModel } from './explained.read-model.js';
import { RecipientRules } from './recipient-rules.js';
import { ExplanationsService } from './explanations.service.js';

@Module({
  imports: [AcceptingModule, AllowancesModule, ErasuresModule, ProjectsModule, SimulatorModule],
  providers: [
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
export class ExplainModule {}
