import type { ActorKind, AuditEntry, AuditOutcome } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit_entries')
export class AuditEntryRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column('text', { name: 'actor_kind' }) actorKind: ActorKind;
  @Column('text', { name: 'actor_id' }) actorId: string;
  @Column('text', { name: 'actor_name', nullable: true }) actorName: string | null;
  @Column('text', { nullable: true }) address: string | null;
  @Column('text') action: string;
  @Column('text', { name: 'resource_type' }) resourceType: string;
  @Column('text', { name: 'resource_id' }) resourceId: string;
  @Column('text') outcome: AuditOutcome;

  toEntry(): AuditEntry {
    const {
      id,
      createdAt: at,
      actorKind: kind,
      actorId,
      actorName: name,
      address,
      action,
      resourceType,
      resourceId,
      outcome,
    } = this;
    return {
      id,
      at,
      actor: { kind, id: actorId, name },
      address,
      action,
      resource: { type: resourceType, id: resourceId },
      outcome,
    };
  }
}
