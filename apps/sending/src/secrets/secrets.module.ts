import { Module } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Resealing, Secrets } from '@posthorn/platform';
import { sealedTables } from './sealed-tables.js';
import { SecretsHandlers } from './secrets.handlers.js';

@Module({
  controllers: [SecretsHandlers],
  providers: [
    {
      provide: Resealing,
      useFactory: (database: Database, secrets: Secrets) => new Resealing(database, secrets, sealedTables),
      inject: [Database, Secrets],
    },
  ],
})
export class SecretsModule {}
