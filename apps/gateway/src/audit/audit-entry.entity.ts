import type { ActorKind, AuditEntry, AuditOutcome } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit_entries')
export class AuditEntryRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column('text') actorKind: ActorKind;
  @Column('text') actorId: string;
  @Column('text', { nullable: true }) actorName: string | null;
  @Column('text', { nullable: true }) address: string | null;
  @Column('text') action: string;
  @Column('text') resourceType: string;
  @Column('text') resourceId: string;
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
