import { baselineOf, idempotencyKeysTable, projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import { campaignsTables } from './baseline/campaigns.js';
import { launchesTables } from './baseline/launches.js';

export const baseline = baselineOf('Campaigns', [
  messagingTables,
  idempotencyKeysTable,
  projectCountsTable,
  workTables,
  campaignsTables,
  launchesTables,
]);
