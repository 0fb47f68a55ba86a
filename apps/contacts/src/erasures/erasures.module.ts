import { Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { IdempotencyKeys, onDatabase } from '@posthorn/database';
import { resealingOf, type SealedTable } from '@posthorn/platform';
import { ActivityModule } from '../activity/activity.module.js';
import { ImportsModule } from '../imports/imports.module.js';
import { ListsModule } from '../lists/lists.module.js';
import { SegmentsModule } from '../segments/segments.module.js';
import { ErasedContacts } from './erased-contacts.js';
import { ErasedRowsRepository } from './erased-rows.repository.js';
import { ErasuresRepository } from './erasures.repository.js';
import { ErasuresService } from './erasures.service.js';
import { ErasuresWork } from './erasures.work.js';
import { OwnErasure } from './own-erasure.js';
import { PendingErasures } from './pending-erasures.js';
import { TombstonesModule } from './tombstones.module.js';

const sealedTables: readonly SealedTable[] = [
  { table: 'erasures', project: 'project_id', id: 'id', sealed: 'sealed' },
  { table: 'erasure_secrets', project: null, id: 'id', sealed: 'sealed' },
];

@Module({
  imports: [ActivityModule, ImportsModule, ListsModule, SegmentsModule, TombstonesModule],
  providers: [
    ...onDatabase([ErasuresRepository, ErasedRowsRepository, IdempotencyKeys]),
    resealingOf(secrets.rotateContacts, sealedTables),
    ErasedContacts,
    ErasuresService,
    ErasuresWork,
    OwnErasure,
    PendingErasures,
  ],
  exports: [ErasedContacts],
})
export class ErasuresModule {}
