import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { DueAgainWork, HandOversWork, HandOverCalls, RestoredCampaigns } from './hand-overs.work.js';
import { FreezesWork } from './freezes.work.js';
import { LateLaunches, ScheduledLaunchesWork } from './scheduled-launches.work.js';
import { LaunchChecks } from './launch-checks.js';
import { LaunchesService, TransitionsService } from './launches.service.js';
import { Launching } from './launching.js';
import { Ledger } from './ledger.js';
import { RetriesService, RetriesWork } from './retries.service.js';
import { MailStates, MailStatesWork } from './mail-states.js';
import { SelfPauses, SelfPausesWork } from './self-pauses.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  providers: [
    DueAgainWork,
    FreezesWork,
    HandOverCalls,
    HandOversWork,
    LateLaunches,
    LaunchChecks,
    LaunchesService,
    Launching,
    Ledger,
    MailStates,
    MailStatesWork,
    RestoredCampaigns,
    RetriesService,
    RetriesWork,
    ScheduledLaunchesWork,
    SelfPauses,
    SelfPausesWork,
    TransitionsService,
  ],
})
export class LaunchingModule {}
