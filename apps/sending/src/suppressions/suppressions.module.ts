import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { WorkQueue } from '@posthorn/work';
import { ErasedAddressHasher } from '../erasures/erased-names.js';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { SuppressedRecipientsReadModel } from './suppressed-recipients.read-model.js';
import { SuppressionImports } from './suppression-imports.js';
import { SuppressionImportsRepository } from './suppression-imports.repository.js';
import { SuppressionImportsWork } from './suppression-imports.work.js';
import { SuppressionsRepository } from './suppressions.repository.js';
import { SuppressionsService } from './suppressions.service.js';
import { OptOutsRepository } from '../opt-outs/opt-outs.repository.js';
import { OptOutsService } from '../opt-outs/opt-outs.service.js';

@Module({
  imports: [ErasuresModule],
  providers: [
    ...onDatabase([SuppressedRecipientsReadModel, SuppressionsRepository], ErasedAddressHasher),
    ...onDatabase([SuppressionImportsRepository], WorkQueue),
    SuppressionImports,
    SuppressionImportsWork,
    SuppressionsService,
    ...onDatabase([OptOutsRepository], ErasedAddressHasher),
    OptOutsService,
  ],
  exports: [SuppressedRecipientsReadModel, SuppressionsRepository, SuppressionsService, OptOutsRepository],
})
export class SuppressionsModule {}
