import { Column, Entity, PrimaryColumn } from 'typeorm';

/** SUSPECT items lost their worker and run alone. DEAD items failed all attempts. */
export const workStates = ['WAITING', 'READY', 'CLAIMED', 'SUSPECT', 'PAUSED', 'DEAD'] as const;
export type WorkState = (typeof workStates)[number];

@Entity('work_items')
export class WorkItemRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') kind: string;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  /** Unique within kind and project while the item is not dead. */
  @Column('text', { nullable: true }) key: string | null;
  @Column('text', { name: 'group_key' }) groupKey: string;
  @Column('smallint') priority: number;
  @Column('text') state: WorkState;
  @Column({ type: 'timestamptz', name: 'due_at' }) dueAt: Date;
  @Column('jsonb') payload: object;
  @Column('boolean') exclusive: boolean;
  @Column('boolean') again: boolean;
  @Column('uuid', { name: 'worker_id', nullable: true }) workerId: string | null;
  /** Rises with each claim and outcome; writes with an older token are refused. */
  @Column('bigint', { name: 'lease_token' }) leaseToken: number;
  @Column('integer') claims: number;
  @Column('integer') failures: number;
  @Column('text', { nullable: true }) error: string | null;
  @Column('text', { nullable: true }) traces: string | null;
  @Column({ type: 'timestamptz', name: 'created_at' }) createdAt: Date;
}

@Entity('work_workers')
export class WorkWorkerRow {
  @PrimaryColumn('uuid') id: string;
  @Column({ type: 'timestamptz', name: 'expires_at' }) expiresAt: Date;
}

@Entity('work_pauses')
export class WorkPauseRow {
  @PrimaryColumn('text') kind: string;
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('text', { name: 'group_key' }) groupKey: string;
}

export const workEntities = [WorkItemRow, WorkWorkerRow, WorkPauseRow];
