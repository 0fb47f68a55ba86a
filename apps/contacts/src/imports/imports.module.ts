import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { WorkQueue } from '@posthorn/work';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { TombstonesModule } from '../erasures/tombstones.module.js';
import { ListsModule } from '../lists/lists.module.js';
import { SegmentsModule } from '../segments/segments.module.js';
import { ImportBatches, ImportedMembers } from './import-batches.js';
import { ImportErrorsRepository } from './import-errors.repository.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { ImportPurgesWork, ImportReading, ImportsWork } from './imports.work.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [ContactWritesModule, ListsModule, SegmentsModule, TombstonesModule],
  providers: [
    ...onDatabase([ImportsRepository], WorkQueue),
    ...onDatabase([ImportPiecesRepository, ImportErrorsRepository]),
    ImportBatches,
    ImportReading,
    ImportsWork,
    ImportPurgesWork,
    ImportedMembers,
    ImportsService,
  ],
  exports: [ImportsRepository],
})
export class ImportsModule {}
