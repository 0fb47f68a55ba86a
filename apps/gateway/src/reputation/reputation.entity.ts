import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a project sent and what came back, by hour (UTC); kept for eight days. Simulated mail and that of TEST keys does not count. */
@Entity('reputation_hours')
export class ReputationHourRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('timestamptz') hour: Date;
  @Column('bigint') sent: number;
  @Column('bigint') bounced: number;
  @Column('bigint') complained: number;
}

@Entity('reputation_warnings')
export class ReputationWarningRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @Column({ type: 'timestamptz', name: 'warned_at', precision: 3 }) warnedAt: Date;
}
