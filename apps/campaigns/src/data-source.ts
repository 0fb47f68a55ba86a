import { CampaignRow } from './campaigns/campaign.entity.js';
import { LaunchRow } from './launching/launch.entity.js';
import { CampaignCountRow } from './recipients/recipient.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [CampaignRow, LaunchRow, CampaignCountRow];

export const migrations = [baseline];
