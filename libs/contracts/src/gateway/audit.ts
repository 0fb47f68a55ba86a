import { actorKinds, type ActorKind } from '../common/caller.js';
import { Choice, Id, Instant, Nested, Nullable, Optional, Text } from '../schema/fields.js';
import { JoinFields } from '../schema/shapes.js';
import { PageQuery } from '../common/page.js';

/** Audited changes of access; changes of other services are named after their events. */
export const identityActions = [
  'project.created',
  'project.updated',
  'project.disabled',
  'project.enabled',
  'project.limited',
  'member.invited',
  'member.added',
  'member.changed',
  'member.removed',
  'invitation.withdrawn',
  'api_key.created',
  'api_key.changed',
  'api_key.rotated',
  'api_key.revealed',
  'api_key.revoked',
  'token.granted',
  'token.revoked',
] as const;
export type IdentityAction = (typeof identityActions)[number];

export const auditOutcomes = ['SUCCEEDED', 'REFUSED'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

export class AuditActor {
  @Choice(actorKinds) kind: ActorKind;
  /** The id of the user, key or token; the name of an operator. */
  @Text(1, 100) id: string;
  @Text(1, 200) @Nullable() name: string | null;
}

export class AuditResource {
  @Text(1, 64, { example: 'contact' }) type: string;
  @Text(1, 254) id: string;
}

/** Who did what to which resource, from where, and with what outcome (docs/api-decisions.md §15). */
export class AuditEntry {
  @Id() id: string;
  @Instant() at: Date;
  @Nested(() => AuditActor) actor: AuditActor;
  @Text(1, 64, { example: '192.0.2.1' }) @Nullable() address: string | null;
  @Text(1, 64, { example: 'contact.deleted' }) action: string;
  @Nested(() => AuditResource) resource: AuditResource;
  @Choice(auditOutcomes) outcome: AuditOutcome;
}

export class AuditFilter {
  @Text(1, 100) @Optional() actor?: string;
  @Text(1, 64, { pattern: /^[a-z_]+\.[a-z_]+$/ }) @Optional() action?: string;
  @Instant() @Optional() createdAfter?: Date;
  @Instant() @Optional() createdBefore?: Date;
}

export class ListAuditEntries extends JoinFields(PageQuery, AuditFilter) {}
