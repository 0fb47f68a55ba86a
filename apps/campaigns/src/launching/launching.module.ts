import { Module } from '@nestjs/common';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { DueAgainWork } from './due-again.work.js';
import { FreezesWork } from './freezes.work.js';
import { HandOversWork } from './hand-overs/hand-overs.work.js';
import { HandOverCalls } from './hand-overs/hand-over-calls.js';
import { LateLaunches } from './late-launches.js';
import { LaunchChecks } from './launch-checks.js';
import { LaunchesService } from './launches.service.js';
import { Launching } from './launching.js';
import { Ledger } from './ledger.js';
import { RestoredCampaigns } from './restored-campaigns.js';
import { RetriesService } from './retries.service.js';
import { RetriesWork } from './retries.work.js';
import { ScheduledLaunchesWork } from './scheduled-launches.work.js';
import { LaunchingSubscribers } from './launching.subscribers.js';
import { SelfPausesModule } from './self-pauses.module.js';
import { TransitionsService } from './transitions.service.js';

@Module({
  imports: [AudiencesModule, CampaignsModule, RecipientsModule, SelfPausesModule],
  providers: [
    DueAgainWork,
    FreezesWork,
    HandOverCalls,
    HandOversWork,
    LateLaunches,
    LaunchChecks,
    LaunchesService,
    Launching,
    LaunchingSubscribers,
    Ledger,
    RestoredCampaigns,
    RetriesService,
    RetriesWork,
    ScheduledLaunchesWork,
    TransitionsService,
  ],
})
export class LaunchingModule {}
