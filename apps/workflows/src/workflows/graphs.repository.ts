import type { Database } from '@posthorn/database';
import type { QueryDeepPartialEntity } from 'typeorm';
import { StepRow, TransitionRow, type Graph } from './graph.entity.js';

/** What of a part of a graph its author says freely. */
const text = {
  steps: { table: 'workflow_steps', column: 'config' },
  transitions: { table: 'workflow_transitions', column: 'condition' },
} as const;
export type GraphPart = keyof typeof text;

export interface PartText {
  workflowId: string;
  id: string;
  said: unknown;
}

export class GraphsRepository {
  constructor(private readonly database: Database) {}

  async of(projectId: string, workflowId: string): Promise<Graph> {
    const ofWorkflow = { where: { projectId, workflowId }, order: { place: 'ASC' } } as const;
    const { manager } = this.database;
    return {
      steps: await manager.getRepository(StepRow).find(ofWorkflow),
      transitions: await manager.getRepository(TransitionRow).find(ofWorkflow),
    };
  }

  /** Stores the graph of a workflow that has none. */
  async add({ steps, transitions }: Graph): Promise<void> {
    const { manager } = this.database;
    await manager.insert(StepRow, steps as QueryDeepPartialEntity<StepRow>[]);
    if (transitions.length > 0)
      await manager.insert(TransitionRow, transitions as QueryDeepPartialEntity<TransitionRow>[]);
  }

  /** Parts that say any of these words; until the end of the transaction nobody changes them. */
  lockContaining(part: GraphPart, projectId: string, texts: string): Promise<PartText[]> {
    const { table, column } = text[part];
    return this.database.query(
      `SELECT workflow_id AS "workflowId", id, ${column} AS said FROM ${table}
       WHERE project_id = $1 AND ${column}::text ~* $2 ORDER BY workflow_id, id FOR UPDATE`,
      [projectId, texts],
    );
  }

  async reword(part: GraphPart, projectId: string, rows: readonly PartText[]): Promise<void> {
    const { table, column } = text[part];
    await this.database.query(
      `UPDATE ${table} AS known SET ${column} = now_said.said::json FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS now_said (workflow_id, id, said)
       WHERE project_id = $1 AND known.workflow_id = now_said.workflow_id AND known.id = now_said.id`,
      [
        projectId,
        rows.map(({ workflowId }) => workflowId),
        rows.map(({ id }) => id),
        rows.map((row) => JSON.stringify(row.said)),
      ],
    );
  }
}
