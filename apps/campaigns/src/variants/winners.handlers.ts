import { Controller } from '@nestjs/common';
import { campaigns, type Campaign, type ChooseWinnerById } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { CampaignViews } from '../campaigns/campaign-views.js';
import { WinnersService } from './winners.service.js';

@Controller()
export class WinnersHandlers {
  constructor(
    private readonly service: WinnersService,
    private readonly views: CampaignViews,
  ) {}

  @Handles(campaigns.chooseWinner)
  async choose(call: Incoming<ChooseWinnerById>): Promise<Campaign> {
    return this.views.one(await this.service.choose(call));
  }
}
