import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { MailStates } from './mail-states.js';
import { MailStatesWork } from './mail-states.work.js';
import { SelfPauses } from './self-pauses.js';
import { SelfPausesWork } from './self-pauses.work.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  providers: [MailStates, MailStatesWork, SelfPauses, SelfPausesWork],
  exports: [MailStates, SelfPauses],
})
export class SelfPausesModule {}
