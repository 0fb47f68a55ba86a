import { IdempotencyKeyRow } from '@posthorn/database';
import { messagingEntities } from '@posthorn/messaging';
import { AllowanceRow } from './allowances/allowance.entity.js';
import { DeliveryRow, PaceRow, WorkerRow } from './delivery/delivery.entity.js';
import { DomainRow } from './domains/domain.entity.js';
import { EmailContentRow, EmailEventRow, EmailRow } from './emails/email.entity.js';
import { CreateSending1763700000000 } from './migrations/1763700000000-create-sending.js';
import { RepairSendingMessaging1763800000000 } from './migrations/1763800000000-repair-messaging.js';
import { TraceSendingFacts1763900000000 } from './migrations/1763900000000-trace-facts.js';
import { AttributeSendingFacts1764200000000 } from './migrations/1764200000000-attribute-facts.js';
import { SystemContents1764300000000 } from './migrations/1764300000000-system-contents.js';
import { ProjectStateRow } from './projects/project-state.entity.js';
import { SuppressionRow } from './suppressions/suppression.entity.js';

export const entities = [
  EmailRow,
  EmailContentRow,
  EmailEventRow,
  DeliveryRow,
  WorkerRow,
  PaceRow,
  IdempotencyKeyRow,
  DomainRow,
  SuppressionRow,
  AllowanceRow,
  ProjectStateRow,
  ...messagingEntities,
];

export const migrations = [
  CreateSending1763700000000,
  RepairSendingMessaging1763800000000,
  TraceSendingFacts1763900000000,
  AttributeSendingFacts1764200000000,
  SystemContents1764300000000,
];
