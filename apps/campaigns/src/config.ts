import { Env, ServiceConfig } from '@posthorn/platform';

export class CampaignsConfig extends ServiceConfig {
  @Env('CAMPAIGN_LATE_LIMIT', {
    kind: 'number',
    default: '6',
    min: 0.01,
    max: 720,
    describe:
      'hours by which a schedule may be missed, or the sending of a campaign stand still, before the campaign is paused instead of being sent late',
  })
  lateHours: number;
}
