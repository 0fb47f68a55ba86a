import { IdempotencyKeyRow, ProjectCountRow } from '@posthorn/database';
import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { ContactCountDelta, ContactCountRow } from './contacts/contact-count.entity.js';
import { ContactRow } from './contacts/contact.entity.js';
import { ErasureRow, ErasureSecretRow, TombstoneRow } from './erasures/erasure.entity.js';
import { ImportRow } from './imports/import.entity.js';
import { ListCountDelta, ListCountRow } from './lists/list-count.entity.js';
import { ListRow } from './lists/list.entity.js';
import { MembershipRow } from './lists/membership.entity.js';
import { SegmentRow } from './segments/segment.entity.js';
import {
  SegmentCountDelta,
  SegmentCountRow,
  SegmentDueRow,
  SegmentEdgeRow,
  SegmentMemberRow,
  SegmentSlugRow,
  SegmentWatchRow,
} from './segments/segment-tables.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [
  ContactRow,
  ContactCountRow,
  ContactCountDelta,
  ListRow,
  MembershipRow,
  ListCountRow,
  ListCountDelta,
  ImportRow,
  ErasureRow,
  ErasureSecretRow,
  TombstoneRow,
  ProjectCountRow,
  IdempotencyKeyRow,
  SegmentRow,
  SegmentSlugRow,
  SegmentEdgeRow,
  SegmentMemberRow,
  SegmentDueRow,
  SegmentWatchRow,
  SegmentCountRow,
  SegmentCountDelta,
  ...messagingEntities,
  ...workEntities,
];

export const migrations = [baseline];
