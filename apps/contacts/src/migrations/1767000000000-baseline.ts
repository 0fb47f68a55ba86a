import { baselineOf, idempotencyKeysTable, projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import { contactsTables } from './baseline/contacts.js';
import { erasuresTables } from './baseline/erasures.js';
import { eventsTables } from './baseline/events.js';
import { importsTables } from './baseline/imports.js';
import { listsTables } from './baseline/lists.js';
import { segmentsTables } from './baseline/segments.js';
import { topicsTables } from './baseline/topics.js';

export const baseline = baselineOf('Contacts', [
  messagingTables,
  idempotencyKeysTable,
  projectCountsTable,
  workTables,
  contactsTables,
  listsTables,
  topicsTables,
  segmentsTables,
  eventsTables,
  importsTables,
  erasuresTables,
]);
