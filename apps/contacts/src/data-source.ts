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
import { CreateContacts1763700000000 } from './migrations/1763700000000-create-contacts.js';
import { RepairContactsMessaging1763800000000 } from './migrations/1763800000000-repair-messaging.js';
import { TraceContactsFacts1763900000000 } from './migrations/1763900000000-trace-facts.js';
import { AttributeContactsFacts1764200000000 } from './migrations/1764200000000-attribute-facts.js';
import { AudienceGround1764500000000 } from './migrations/1764500000000-audience-ground.js';
import { Consents1764500100000 } from './migrations/1764500100000-consents.js';
import { Events1764500100100 } from './migrations/1764500100100-events.js';
import { Lists1764500200000 } from './migrations/1764500200000-lists.js';
import { Segments1764500300000 } from './migrations/1764500300000-segments.js';
import { Imports1764500350000 } from './migrations/1764500350000-imports.js';
import { ContactHistory1764500400000 } from './migrations/1764500400000-contact-history.js';
import { Erasures1764500500000 } from './migrations/1764500500000-erasures.js';
import { HistorySources1764500520000 } from './migrations/1764500520000-history-sources.js';
import { ImportLeases1764500520100 } from './migrations/1764500520100-import-leases.js';
import { SegmentTurns1764500600100 } from './migrations/1764500600100-segment-turns.js';
import { SegmentRecounts1764500600200 } from './migrations/1764500600200-segment-recounts.js';
import { SegmentWatches1764500600300 } from './migrations/1764500600300-segment-watches.js';
import { SegmentsOfAContact1764500600400 } from './migrations/1764500600400-segments-of-a-contact.js';
import { ContactHistoryKey1764500600500 } from './migrations/1764500600500-contact-history-key.js';
import { AddressPartPending1764500600600 } from './migrations/1764500600600-address-part-pending.js';
import { ImportRejectedRows1764500600700 } from './migrations/1764500600700-import-rejected-rows.js';
import { QuarantineContactsEvents1764600000000 } from './migrations/1764600000000-quarantine-events.js';
import { DefaultPartitions1766300000000 } from './migrations/1766300000000-default-partitions.js';
import { ImportStatuses1766700000000 } from './migrations/1766700000000-import-statuses.js';
import { EarlyMailEvents1764900000000 } from './migrations/1764900000000-early-mail-events.js';
import { ContactsWork1764700000000 } from './migrations/1764700000000-work.js';
import { AppliedEffects1766600300000 } from './migrations/1766600300000-applied-effects.js';
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

export const migrations = [
  CreateContacts1763700000000,
  RepairContactsMessaging1763800000000,
  TraceContactsFacts1763900000000,
  AttributeContactsFacts1764200000000,
  AudienceGround1764500000000,
  Consents1764500100000,
  Events1764500100100,
  Lists1764500200000,
  Segments1764500300000,
  Imports1764500350000,
  ContactHistory1764500400000,
  Erasures1764500500000,
  HistorySources1764500520000,
  ImportLeases1764500520100,
  SegmentTurns1764500600100,
  SegmentRecounts1764500600200,
  SegmentWatches1764500600300,
  SegmentsOfAContact1764500600400,
  ContactHistoryKey1764500600500,
  AddressPartPending1764500600600,
  ImportRejectedRows1764500600700,
  QuarantineContactsEvents1764600000000,
  ContactsWork1764700000000,
  EarlyMailEvents1764900000000,
  DefaultPartitions1766300000000,
  AppliedEffects1766600300000,
  ImportStatuses1766700000000,
];
