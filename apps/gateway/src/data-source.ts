import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { AuditEntryRow } from './audit/audit-entry.entity.js';
import { ApiKeyRow } from './api-keys/api-key.entity.js';
import { InvitationRow } from './members/invitation.entity.js';
import { MemberRow } from './members/member.entity.js';
import { HookSignatureRow } from './provider-hooks/hook-signature.entity.js';
import { ReputationHourRow, ReputationWarningRow } from './reputation/reputation.entity.js';
import { ProjectRow } from './projects/project.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [
  ProjectRow,
  ApiKeyRow,
  MemberRow,
  InvitationRow,
  AuditEntryRow,
  ReputationHourRow,
  ReputationWarningRow,
  HookSignatureRow,
  ...messagingEntities,
  ...workEntities,
];
export const migrations = [baseline];
