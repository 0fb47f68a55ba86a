import { Module } from '@nestjs/common';
import { Database, onDatabase } from '@posthorn/database';
import { Secrets } from '@posthorn/platform';
import { ErasedAddressesRepository } from './erased-addresses.repository.js';
import { ErasedMailRepository } from './erased-mail.repository.js';
import { ErasedAddressHasher } from './erased-names.js';
import { ErasuresService } from './erasures.service.js';
import { WaitingMail } from './waiting-mail.js';
import { WaitingMailRepository } from './waiting-mail.repository.js';

@Module({
  providers: [
    ...onDatabase([ErasedAddressesRepository, ErasedMailRepository, WaitingMailRepository]),
    {
      provide: ErasedAddressHasher,
      useFactory: (database: Database, secrets: Secrets) => ErasedAddressHasher.open(database, secrets),
      inject: [Database, Secrets],
    },
    ErasuresService,
    WaitingMail,
  ],
  exports: [ErasedAddressHasher],
})
export class ErasuresModule {}
