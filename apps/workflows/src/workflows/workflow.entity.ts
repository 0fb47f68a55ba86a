import { isDeepStrictEqual } from 'node:util';
import {
  invalid,
  type InvalidMember,
  type TriggerType,
  type UpdateWorkflow,
  type Workflow,
  type WorkflowEvent,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { changedTrigger, triggerFaults } from './trigger.js';

@Entity('workflows')
export class WorkflowRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('boolean') enabled: boolean;
  @Column('text', { name: 'trigger_type' }) triggerType: TriggerType;
  @Column('text', { name: 'event_name', nullable: true }) eventName: string | null;
  @Column('bigint', { name: 'interval_ms', nullable: true }) intervalMs: number | null;
  @Column('boolean', { name: 'allow_reentry' }) allowReentry: boolean;
  @Column('bigint', { name: 'max_executions_per_hour', nullable: true }) maxExecutionsPerHour: number | null;
  @Column('integer') version: number;
  @Column('integer', { name: 'step_count' }) stepCount: number;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;

  refuseFaults(): void {
    const faults = [...triggerFaults(this), ...this.enabledFaults()];
    if (faults.length > 0) throw invalid(faults);
  }

  change(changes: UpdateWorkflow): boolean {
    const before = { ...this };
    Object.assign(this, changes, changedTrigger(before, changes));
    this.refuseFaults();
    return !isDeepStrictEqual({ ...this }, before);
  }

  toWorkflow(): Workflow {
    const { seq: _, ...shown } = this;
    return shown;
  }

  toEvent(): WorkflowEvent {
    return { workflowId: this.id, version: this.version, at: this.updatedAt, seq: this.seq };
  }

  toDeletedEvent(at: Date): WorkflowEvent {
    return { ...this.toEvent(), at, seq: this.seq + 1 };
  }

  /** Workflows are not executed yet, so an enabled one would silently miss its triggers (docs/decisions/0006-unimplemented-features.md). */
  private enabledFaults(): InvalidMember[] {
    return this.enabled
      ? [
          {
            path: ['enabled'],
            code: 'not_allowed',
            message: 'must be false: workflows are created disabled and are not executed yet',
          },
        ]
      : [];
  }
}
