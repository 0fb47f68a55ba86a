import type { InvitedRole } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

const repeatMs = 60_000;

@Entity('invitations')
export class InvitationRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') email: string;
  @Column('text') role: InvitedRole;
  /** The token itself stands in the mail only. */
  @Column('text', { name: 'token_hash', unique: true }) tokenHash: string;
  @Column('uuid', { name: 'invited_by', nullable: true }) invitedBy: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'sent_at', precision: 3 }) sentAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt: Date;

  /** Whether the same was said a moment ago: an address is not flooded with mail by who may invite. */
  saysAlready(role: InvitedRole, at: Date): boolean {
    return this.role === role && at.getTime() - this.sentAt.getTime() < repeatMs;
  }
}
