import { baselineOf } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import { accountsTables } from './baseline/accounts.js';
import { apiKeysTables } from './baseline/api-keys.js';
import { auditTables } from './baseline/audit.js';
import { membersTables } from './baseline/members.js';
import { oauthTables } from './baseline/oauth.js';
import { projectsTables } from './baseline/projects.js';

export const baseline = baselineOf('Gateway', [
  messagingTables,
  workTables,
  accountsTables,
  projectsTables,
  membersTables,
  apiKeysTables,
  oauthTables,
  auditTables,
]);
