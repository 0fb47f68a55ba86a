import type { EngagementKind, MachineReason } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Every pixel fetch and every click, machines included. Partitioned by month of the e-mail. */
@Entity('engagements')
export class EngagementRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'email_id' }) emailId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') kind: EngagementKind;
  @Column('smallint') position: number;
  @Column({ type: 'timestamptz', precision: 3 }) at: Date;
  @Column('text', { nullable: true }) url: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent: string | null;
  @Column('text', { nullable: true }) machine: MachineReason | null;
}
