import { AuditEntryRow } from './audit/audit-entry.entity.js';
import { ApiKeyRow } from './api-keys/api-key.entity.js';
import { InvitationRow } from './members/invitation.entity.js';
import { MemberRow } from './members/member.entity.js';
import { ProjectRow } from './projects/project.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [ProjectRow, ApiKeyRow, MemberRow, InvitationRow, AuditEntryRow];
export const migrations = [baseline];
