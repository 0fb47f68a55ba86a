import { IdempotencyKeyRow, ProjectCountRow } from '@posthorn/database';
import { DeadLetter, InboxRow, OutboxRow } from '@posthorn/messaging';
import { CampaignRow } from './campaigns/campaign.entity.js';
import { CreateCampaigns1763800000000 } from './migrations/1763800000000-create-campaigns.js';

export const entities = [CampaignRow, ProjectCountRow, IdempotencyKeyRow, OutboxRow, InboxRow, DeadLetter];

export const migrations = [CreateCampaigns1763800000000];
