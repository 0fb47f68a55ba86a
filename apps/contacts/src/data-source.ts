import { ContactRow } from './contacts/contact.entity.js';
import { ErasureRow, ErasureSecretRow } from './erasures/erasure.entity.js';
import { ImportRow } from './imports/import.entity.js';
import { ListRow } from './lists/list.entity.js';
import { MembershipRow } from './lists/membership.entity.js';
import { SegmentRow } from './segments/segment.entity.js';
import { TopicRow } from './topics/topic.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [
  ContactRow,
  ListRow,
  MembershipRow,
  ImportRow,
  ErasureRow,
  ErasureSecretRow,
  SegmentRow,
  TopicRow,
];

export const migrations = [baseline];
