import type { Authority } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { QueryDeepPartialEntity } from 'typeorm';
import { StepRow, TransitionRow, type Graph } from './graph.entity.js';

const documents = {
  steps: { table: 'workflow_steps', column: 'config' },
  transitions: { table: 'workflow_transitions', column: 'condition' },
} as const;
/** The graph of the workflow `w`, in one document. */
export const graphSql = `json_build_object(
  'steps', (SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'position', s.position, 'type', s.type, 'config', s.config) ORDER BY s.place)
    FROM workflow_steps s WHERE s.project_id = w.project_id AND s.workflow_id = w.id),
  'transitions', (SELECT coalesce(json_agg(json_build_object('id', t.id, 'fromStepId', t.from_step_id, 'toStepId', t.to_step_id,
    'condition', t.condition::text, 'priority', t.priority) ORDER BY t.place), '[]')
    FROM workflow_transitions t WHERE t.project_id = w.project_id AND t.workflow_id = w.id))`;

export type GraphPart = keyof typeof documents;

export interface PartDocument {
  workflowId: string;
  id: string;
  document: unknown;
}

export class GraphsRepository {
  constructor(private readonly database: Database) {}

  async of(projectId: string, workflowId: string): Promise<Graph> {
    const ofWorkflow = { where: { projectId, workflowId }, order: { index: 'ASC' } } as const;
    const { manager } = this.database;
    return {
      steps: await manager.getRepository(StepRow).find(ofWorkflow),
      transitions: await manager.getRepository(TransitionRow).find(ofWorkflow),
    };
  }

  async add({ steps, transitions }: Graph): Promise<void> {
    const { manager } = this.database;
    await manager.insert(StepRow, steps as QueryDeepPartialEntity<StepRow>[]);
    if (transitions.length > 0)
      await manager.insert(TransitionRow, transitions as QueryDeepPartialEntity<TransitionRow>[]);
  }

  /** Of a locked workflow. Answers the ids of the steps that it no longer has. */
  async replace(
    { projectId, id: workflowId }: { projectId: string; id: string },
    graph: Graph,
  ): Promise<string[]> {
    const kept = new Set(graph.steps.map(({ id }) => id));
    await this.database.manager.delete(TransitionRow, { projectId, workflowId });
    const before = await this.database.query<{ id: string }>(
      `DELETE FROM workflow_steps WHERE project_id = $1 AND workflow_id = $2 RETURNING id`,
      [projectId, workflowId],
    );
    await this.add(graph);
    return before.map(({ id }) => id).filter((id) => !kept.has(id));
  }

  /** Keeps the graph as it is now under the workflow's version. */
  async addVersion({ projectId, id }: { projectId: string; id: string }, lender: Authority): Promise<void> {
    await this.database.query(
      `INSERT INTO workflow_versions (project_id, workflow_id, version, graph, lender)
       SELECT w.project_id, w.id, w.version, ${graphSql}, $3 FROM workflows w WHERE w.project_id = $1 AND w.id = $2`,
      [projectId, id, JSON.stringify(lender)],
    );
  }

  lockContaining(part: GraphPart, projectId: string, pattern: string): Promise<PartDocument[]> {
    const { table, column } = documents[part];
    return this.database.query(
      `SELECT workflow_id AS "workflowId", id, ${column} AS document FROM ${table}
       WHERE project_id = $1 AND ${column}::text ~* $2 ORDER BY workflow_id, id FOR UPDATE`,
      [projectId, pattern],
    );
  }

  async rewrite(part: GraphPart, projectId: string, rows: readonly PartDocument[]): Promise<void> {
    const { table, column } = documents[part];
    await this.database.query(
      `UPDATE ${table} AS known SET ${column} = given.document::json FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS given (workflow_id, id, document)
       WHERE project_id = $1 AND known.workflow_id = given.workflow_id AND known.id = given.id`,
      [
        projectId,
        rows.map(({ workflowId }) => workflowId),
        rows.map(({ id }) => id),
        rows.map(({ document }) => JSON.stringify(document)),
      ],
    );
  }
}
