import { IdempotencyKeyRow, ProjectCountRow } from '@posthorn/database';
import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { CampaignRow } from './campaigns/campaign.entity.js';
import { ErasedContactRow } from './erasures/erased-contact.entity.js';
import { LaunchRow } from './launching/launch.entity.js';
import { CampaignCountRow, RecipientRow, VariantCountRow } from './recipients/recipient.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

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

export const migrations = [baseline];
