import { Module, type Provider, type Type } from '@nestjs/common';
import { Database, IdempotencyKeys } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { CampaignsHandlers } from './campaigns/campaigns.handlers.js';
import { CampaignsRepository } from './campaigns/campaigns.repository.js';
import { CampaignsService } from './campaigns/campaigns.service.js';
import { Senders } from './campaigns/senders.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';

/** Repositories and read models need nothing but the database. */
const onDatabase = (capacity: Type): Provider => ({
  provide: capacity,
  useFactory: (database: Database) => new capacity(database) as object,
  inject: [Database],
});

@Module({
  controllers: [CampaignsHandlers, ErasuresHandlers],
  providers: [
    ...[CampaignsRepository, IdempotencyKeys].map(onDatabase),
    Commits,
    Senders,
    CampaignsService,
    ErasuresService,
  ],
})
export class CampaignsModule {}
