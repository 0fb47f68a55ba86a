import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { AuditEntryRow } from './audit/audit-entry.entity.js';
import { ApiKeyRow } from './api-keys/api-key.entity.js';
import { CreateGateway1763700000000 } from './migrations/1763700000000-create-gateway.js';
import { RepairGatewayMessaging1763800000000 } from './migrations/1763800000000-repair-messaging.js';
import { TraceGatewayFacts1763900000000 } from './migrations/1763900000000-trace-facts.js';
import { AttributeGatewayFacts1764200000000 } from './migrations/1764200000000-attribute-facts.js';
import { InvitationRow } from './members/invitation.entity.js';
import { MemberRow } from './members/member.entity.js';
import { People1764000000000 } from './migrations/1764000000000-people.js';
import { ProjectsAndKeys1764100000000 } from './migrations/1764100000000-projects-and-keys.js';
import { Audit1764200100000 } from './migrations/1764200100000-audit.js';
import { Oauth1764300000000 } from './migrations/1764300000000-oauth.js';
import { PeopleSecret1764300100000 } from './migrations/1764300100000-people-secret.js';
import { GatewayWork1764700000000 } from './migrations/1764700000000-work.js';
import { ConfinedKeys1764900000000 } from './migrations/1764900000000-confined-keys.js';
import { SystemMailRecipients1765100000000 } from './migrations/1765100000000-system-mail-recipients.js';
import { IndexInviters1765200000000 } from './migrations/1765200000000-index-inviters.js';
import { SystemMails1764000100000 } from './migrations/1764000100000-system-mails.js';
import { QuarantineGatewayEvents1764600000000 } from './migrations/1764600000000-quarantine-events.js';
import { Reputation1765300000000 } from './migrations/1765300000000-reputation.js';
import { HookSignatures1766400000000 } from './migrations/1766400000000-hook-signatures.js';
import { WithdrawnProjects1766400200000 } from './migrations/1766400200000-withdrawn-projects.js';
import { HookSignatureRow } from './provider-hooks/hook-signature.entity.js';
import { ProjectTimes1765700000000 } from './migrations/1765700000000-project-times.js';
import { PostalAddress1766500000000 } from './migrations/1766500000000-postal-address.js';
import { ReputationHourRow, ReputationWarningRow } from './reputation/reputation.entity.js';
import { ProjectRow } from './projects/project.entity.js';

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
export const migrations = [
  CreateGateway1763700000000,
  RepairGatewayMessaging1763800000000,
  TraceGatewayFacts1763900000000,
  People1764000000000,
  SystemMails1764000100000,
  ProjectsAndKeys1764100000000,
  AttributeGatewayFacts1764200000000,
  Audit1764200100000,
  Oauth1764300000000,
  PeopleSecret1764300100000,
  QuarantineGatewayEvents1764600000000,
  GatewayWork1764700000000,
  ConfinedKeys1764900000000,
  SystemMailRecipients1765100000000,
  IndexInviters1765200000000,
  Reputation1765300000000,
  ProjectTimes1765700000000,
  HookSignatures1766400000000,
  WithdrawnProjects1766400200000,
  PostalAddress1766500000000,
];
