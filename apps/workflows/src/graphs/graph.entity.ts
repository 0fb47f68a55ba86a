import type { StepType } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

type Json = Record<string, unknown>;

abstract class GraphPartRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') workflowId: string;
  @PrimaryColumn('uuid') id: string;
  /** In the order of the document: the first of several transitions that apply is taken. */
  @Column('integer', { name: 'place' }) index: number;
}

@Entity('workflow_steps')
export class StepRow extends GraphPartRow {
  @Column('text') name: string;
  @Column('text') type: StepType;
  @Column('json') position: Json;
  @Column('json') config: Json;
}

@Entity('workflow_transitions')
export class TransitionRow extends GraphPartRow {
  @Column('uuid') fromStepId: string;
  @Column('uuid') toStepId: string;
  @Column('json', { nullable: true }) condition: Json | null;
  @Column('integer') priority: number;
}

export interface Graph {
  steps: StepRow[];
  transitions: TransitionRow[];
}
