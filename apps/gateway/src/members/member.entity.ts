import type { MemberRole } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

const rank: Record<MemberRole, number> = { OWNER: 2, ADMIN: 1, MEMBER: 0 };

@Entity('members')
export class MemberRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') userId: string;
  @Column('text') role: MemberRole;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;

  decidesAbout(role: MemberRole): boolean {
    return this.role !== 'MEMBER' && rank[this.role] >= rank[role];
  }
}
