import type { InvitedRole } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Keeps inviters from flooding an address. */
const cooldownMs = 60_000;

@Entity('invitations')
export class InvitationRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') email: string;
  @Column('text') role: InvitedRole;
  @Column('text', { name: 'token_hash', unique: true }) tokenHash: string;
  @Column('uuid', { name: 'invited_by', nullable: true }) invitedBy: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'sent_at', precision: 3 }) sentAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt: Date;

  isOpen(at: Date): boolean {
    return this.expiresAt > at;
  }

  cooldownSeconds(at: Date): number {
    return Math.max(0, (this.sentAt.getTime() + cooldownMs - at.getTime()) / 1_000);
  }
}
