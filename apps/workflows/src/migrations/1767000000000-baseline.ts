import { baselineOf, projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import { executionsTables } from './baseline/executions.js';
import { webhooksTables } from './baseline/webhooks.js';
import { workflowsTables } from './baseline/workflows.js';

export const baseline = baselineOf('Workflows', [
  messagingTables,
  projectCountsTable,
  workTables,
  workflowsTables,
  executionsTables,
  webhooksTables,
]);
