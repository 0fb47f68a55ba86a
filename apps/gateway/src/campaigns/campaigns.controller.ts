import { Controller } from '@nestjs/common';
import {
  campaignNotFound,
  CampaignTest,
  campaignTestToStranger,
  senderNotVerified,
  TestCampaign,
} from '@posthorn/contracts';
import type { RouteRequest } from '../routes/route-request.js';
import { CampaignTestsService } from './campaign-tests.service.js';
import { Post } from '../routes/route.js';

@Controller()
export class CampaignsController {
  constructor(private readonly tests: CampaignTestsService) {}

  @Post('campaigns/:id/test', {
    summary: 'Send a campaign to one member of the project as a test',
    scope: 'emails:test',
    body: TestCampaign,
    reply: CampaignTest,
    success: 'accepted',
    missing: campaignNotFound,
    errors: [campaignTestToStranger, senderNotVerified],
  })
  test({ caller, params, body }: RouteRequest<TestCampaign>): Promise<CampaignTest> {
    return this.tests.send(caller, params['id']!, body);
  }
}
