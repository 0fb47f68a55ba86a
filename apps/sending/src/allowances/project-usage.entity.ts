import type { WhenExhausted } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The limits of a project, null where there is none (docs/decisions/0026-allowances.md). */
@Entity('project_usage')
export class ProjectUsageRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @Column('integer', { name: 'monthly_limit', nullable: true }) monthlyLimit: number | null;
  @Column('integer', { name: 'daily_limit', nullable: true }) dailyLimit: number | null;
  @Column('integer', { name: 'transactional_limit', nullable: true }) transactionalLimit: number | null;
  @Column('integer', { name: 'campaign_limit', nullable: true }) campaignLimit: number | null;
  @Column('integer', { name: 'workflow_limit', nullable: true }) workflowLimit: number | null;
  @Column('integer', { name: 'inbound_limit', nullable: true }) inboundLimit: number | null;
  @Column('text', { name: 'when_exhausted' }) whenExhausted: WhenExhausted;
}

/** What a project has used, spread over several rows: of `month` and `day` (UTC); those of an earlier one are read as 0. */
@Entity('usage_counts')
export class UsageCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('smallint') shard: number;
  @Column('date') month: string;
  @Column('integer') transactional: number;
  @Column('integer') campaign: number;
  @Column('integer') workflow: number;
  @Column('integer') inbound: number;
  @Column('date') day: string;
  @Column('integer', { name: 'sent_today' }) sentToday: number;
}

/** Apart from the counts, so that whoever warns keeps no mark waiting. */
@Entity('usage_warnings')
export class UsageWarningRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  /** By limit: the end of the period whose warning was sent, and its percentage. */
  @Column('jsonb') warned: Record<string, string>;
}
