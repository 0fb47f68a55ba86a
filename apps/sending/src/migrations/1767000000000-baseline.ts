import { baselineOf, idempotencyKeysTable, projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import { campaignMailTables } from './baseline/campaign-mail.js';
import { deliveriesTables } from './baseline/deliveries.js';
import { dmarcTables } from './baseline/dmarc.js';
import { domainsTables } from './baseline/domains.js';
import { emailsTables } from './baseline/emails.js';
import { suppressionsTables } from './baseline/suppressions.js';
import { templatesTables } from './baseline/templates.js';
import { usageTables } from './baseline/usage.js';
import { validationTables } from './baseline/validation.js';

export const baseline = baselineOf('Sending', [
  messagingTables,
  idempotencyKeysTable,
  projectCountsTable,
  workTables,
  emailsTables,
  deliveriesTables,
  suppressionsTables,
  usageTables,
  templatesTables,
  domainsTables,
  dmarcTables,
  campaignMailTables,
  validationTables,
]);
