import { IdempotencyKeyRow, ProjectCountRow } from '@posthorn/database';
import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { CampaignRow } from './campaigns/campaign.entity.js';
import { ErasedContactRow } from './erasures/erased-contact.entity.js';
import { LaunchRow } from './launching/launch.entity.js';
import { CreateCampaigns1763800000000 } from './migrations/1763800000000-create-campaigns.js';
import { RepairCampaignsMessaging1763800100000 } from './migrations/1763800100000-repair-messaging.js';
import { TraceCampaignsFacts1763900000000 } from './migrations/1763900000000-trace-facts.js';
import { AttributeCampaignsFacts1764200000000 } from './migrations/1764200000000-attribute-facts.js';
import { QuarantineCampaignsEvents1764600000000 } from './migrations/1764600000000-quarantine-events.js';
import { LaunchCampaigns1765600000000 } from './migrations/1765600000000-launch-campaigns.js';
import { CampaignCountRow, RecipientRow, VariantCountRow } from './recipients/recipient.entity.js';

export const entities = [
  CampaignRow,
  LaunchRow,
  RecipientRow,
  CampaignCountRow,
  VariantCountRow,
  ErasedContactRow,
  ProjectCountRow,
  IdempotencyKeyRow,
  ...messagingEntities,
  ...workEntities,
];

export const migrations = [
  CreateCampaigns1763800000000,
  RepairCampaignsMessaging1763800100000,
  TraceCampaignsFacts1763900000000,
  AttributeCampaignsFacts1764200000000,
  QuarantineCampaignsEvents1764600000000,
  LaunchCampaigns1765600000000,
];
