import { Module } from '@nestjs/common';
import { Database, onDatabase } from '@posthorn/database';
import { AddressHasher, Secrets } from '@posthorn/platform';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { ReportedContacts } from './reported-contacts.js';
import { Tombstones } from './tombstones.js';
import { TombstonesRepository } from './tombstones.repository.js';

@Module({
  imports: [ContactWritesModule],
  providers: [
    ...onDatabase([TombstonesRepository]),
    {
      provide: AddressHasher,
      useFactory: (database: Database, secrets: Secrets) => AddressHasher.open(database, secrets),
      inject: [Database, Secrets],
    },
    ReportedContacts,
    Tombstones,
  ],
  exports: [ReportedContacts, Tombstones],
})
export class TombstonesModule {}
