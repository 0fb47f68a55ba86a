import { Module } from '@nestjs/common';
import { IdempotencyKeys, onDatabase } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { CampaignsHandlers } from './campaigns/campaigns.handlers.js';
import { CampaignsRepository } from './campaigns/campaigns.repository.js';
import { CampaignsService } from './campaigns/campaigns.service.js';
import { Senders } from './campaigns/senders.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';

@Module({
  controllers: [CampaignsHandlers, ErasuresHandlers],
  providers: [
    ...onDatabase([CampaignsRepository, IdempotencyKeys]),
    Commits,
    Senders,
    CampaignsService,
    ErasuresService,
  ],
})
export class CampaignsModule {}
