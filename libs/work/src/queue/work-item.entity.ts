import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * WAITING until its time; READY to be claimed; CLAIMED by a worker; SUSPECT where its worker's lease ran out, to be tried alone; PAUSED until
 * its project resumes it; DEAD after its last try.
 */
export const workStates = ['WAITING', 'READY', 'CLAIMED', 'SUSPECT', 'PAUSED', 'DEAD'] as const;
export type WorkState = (typeof workStates)[number];

@Entity('work_items')
export class WorkItemRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') kind: string;
  @Column('uuid', { name: 'project_id' }) projectId: string;
  /** Unique for the kind and project while the item is not dead. */
  @Column('text', { nullable: true }) key: string | null;
  /** What can be paused within a project, such as an endpoint. */
  @Column('text', { name: 'group_key' }) groupKey: string;
  @Column('smallint') priority: number;
  @Column('text') state: WorkState;
  @Column({ type: 'timestamptz', name: 'due_at' }) dueAt: Date;
  @Column('jsonb') payload: object;
  @Column('boolean') exclusive: boolean;
  /** It was enqueued again while it was claimed: it runs once more. */
  @Column('boolean') again: boolean;
  @Column('uuid', { name: 'worker_id', nullable: true }) workerId: string | null;
  /** Rises with each claim and each outcome: what was begun under an older one is refused. */
  @Column('bigint', { name: 'lease_token' }) leaseToken: number;
  /** Claims since its last outcome: more than one where a process died over it. */
  @Column('integer') claims: number;
  /** Failures since its last success. */
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
  /** Empty for the whole project. */
  @PrimaryColumn('text', { name: 'group_key' }) groupKey: string;
}

/** Every table of this lib, for the data source of a service. */
export const workEntities = [WorkItemRow, WorkWorkerRow, WorkPauseRow];
