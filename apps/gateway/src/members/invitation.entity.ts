import type { InvitedRole } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Keeps inviters from flooding an address. */
const cooldownMs = 60_000;

@Entity('invitations')
export class InvitationRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') email: string;
  @Column('text') role: InvitedRole;
  @Column('text', { unique: true }) tokenHash: string;
  @Column('uuid', { nullable: true }) invitedBy: string | null;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) sentAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) expiresAt: Date;

  isOpen(at: Date): boolean {
    return this.expiresAt > at;
  }

  cooldownSeconds(at: Date): number {
    return Math.max(0, (this.sentAt.getTime() + cooldownMs - at.getTime()) / 1_000);
  }
}
