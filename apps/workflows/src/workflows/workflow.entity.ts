import { isDeepStrictEqual } from 'node:util';
import {
  configShapes,
  failuresOfKnownMembers,
  type InvalidMember,
  invalid,
  type TriggerType,
  type UpdateWorkflow,
  type Workflow,
  type WorkflowEvent,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { configFaults, missingConfig } from '../graphs/config-rules.js';
import { changedTrigger, triggerFaults } from './trigger.js';

const members: ReadonlySet<string> = new Set(['field', 'operator', 'value']);

export function exitFaults(condition: Record<string, unknown> | null): InvalidMember[] {
  if (condition === null) return [];
  const unknown = Object.keys(condition)
    .filter((name) => !members.has(name))
    .map((name): InvalidMember => ({ path: [name], code: 'unknown_field', message: 'is not a known field' }));
  const failures = failuresOfKnownMembers(configShapes.CONDITION, condition);
  const faults = failures.length > 0 ? failures : configFaults('CONDITION', condition);
  const found = [...unknown, ...(faults.length > 0 ? faults : missingConfig('CONDITION', condition))];
  return found.map((fault) => ({ ...fault, path: ['exitWhen', ...fault.path] }));
}

@Entity('workflows')
export class WorkflowRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('boolean') enabled: boolean;
  @Column('text') triggerType: TriggerType;
  @Column('text', { nullable: true }) eventName: string | null;
  @Column('bigint', { nullable: true }) intervalMs: number | null;
  @Column('uuid', { nullable: true }) segmentId: string | null;
  @Column('boolean') allowReentry: boolean;
  @Column('bigint', { nullable: true }) maxExecutionsPerHour: number | null;
  @Column('jsonb', { nullable: true }) exitWhen: Record<string, unknown> | null;
  @Column('integer') version: number;
  @Column('integer') stepCount: number;
  /** Raised by a pause: executions of an earlier one are over (docs/decisions/0030-workflows.md). */
  @Column('integer') generation: number;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) pausedAt: Date | null;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  get faults(): InvalidMember[] {
    return [...triggerFaults(this), ...exitFaults(this.exitWhen)];
  }

  refuseFaults(): void {
    const { faults } = this;
    if (faults.length > 0) throw invalid(faults);
  }

  /** When a SCHEDULE that runs starts, in milliseconds. */
  get everyMs(): number | null {
    return this.enabled && this.triggerType === 'SCHEDULE' ? Number(this.intervalMs) : null;
  }

  change(changes: UpdateWorkflow): boolean {
    const before = { ...this };
    Object.assign(this, changes, changedTrigger(before, changes));
    this.refuseFaults();
    return !isDeepStrictEqual({ ...this }, before);
  }

  /** What started until now is over. */
  endExecutions(at: Date): void {
    this.generation += 1;
    this.pausedAt = at;
  }

  toWorkflow(): Workflow {
    const { seq: _seq, generation: _generation, pausedAt: _pausedAt, ...shown } = this;
    return shown;
  }

  toEvent(): WorkflowEvent {
    return { workflowId: this.id, version: this.version, at: this.updatedAt, seq: this.seq };
  }

  toDeletedEvent(at: Date): WorkflowEvent {
    return { ...this.toEvent(), at, seq: this.seq + 1 };
  }
}

/** It has no steps to execute yet. */
export const createdEnabled: InvalidMember = {
  path: ['enabled'],
  code: 'not_allowed',
  message: 'must be false: a workflow is created disabled, and resumed when its steps are configured',
};
