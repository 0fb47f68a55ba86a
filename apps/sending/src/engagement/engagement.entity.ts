import type { EngagementKind, MachineReason } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Each time that a pixel was fetched or a link followed, machines included. Partitioned by month of its e-mail. */
@Entity('engagements')
export class EngagementRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'email_id' }) emailId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') kind: EngagementKind;
  /** Whose copy: that of `to`, or of which cc or bcc. */
  @Column('smallint') position: number;
  @Column({ type: 'timestamptz', precision: 3 }) at: Date;
  @Column('text', { nullable: true }) url: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent: string | null;
  /** Null for what a person did. */
  @Column('text', { nullable: true }) machine: MachineReason | null;
}
