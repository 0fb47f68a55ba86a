import {
  isUuid,
  maxSegmentUses,
  type GetSegmentUses,
  type WorkflowGraph,
  type WorkflowStep,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

type StoredGraph = Omit<WorkflowGraph, 'steps'> & { steps: Omit<WorkflowStep, 'templateId'>[] };

/** Reads steps, transitions and version in one statement, so that they are consistent. */
export class Graphs {
  constructor(private readonly database: Database) {}

  async find(projectId: string, workflowId: string): Promise<WorkflowGraph | null> {
    const [graph] = await this.database.query<StoredGraph>(
      `SELECT w.id AS "workflowId", w.version, (
         SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'position', s.position, 'type', s.type, 'config', s.config) ORDER BY s.place)
         FROM workflow_steps s WHERE s.project_id = w.project_id AND s.workflow_id = w.id
       ) AS steps, (
         SELECT coalesce(json_agg(json_build_object('id', t.id, 'fromStepId', t.from_step_id, 'toStepId', t.to_step_id,
           'condition', t.condition::text, 'priority', t.priority) ORDER BY t.place), '[]')
         FROM workflow_transitions t WHERE t.project_id = w.project_id AND t.workflow_id = w.id
       ) AS transitions
       FROM workflows w WHERE w.project_id = $1 AND w.id = $2`,
      [projectId, workflowId],
    );
    return graph
      ? { ...graph, steps: graph.steps.map((step) => ({ ...step, templateId: templateOf(step) })) }
      : null;
  }

  /** Names of enabled workflows that are triggered by the segment, wait for it, or refer to it in a condition. */
  async enabledBySegment(projectId: string, { id, slugs }: GetSegmentUses): Promise<string[]> {
    const events = slugs.flatMap((slug) => ['entry', 'exit'].map((change) => `segment.${slug}.${change}`));
    const rows = await this.database.query<{ name: string }>(
      `SELECT name FROM workflows w WHERE project_id = $1 AND enabled AND (event_name = ANY ($2::text[]) OR EXISTS (
         SELECT FROM workflow_steps s WHERE s.project_id = w.project_id AND s.workflow_id = w.id
           AND (s.config ->> 'eventName' = ANY ($2::text[]) OR strpos(s.config::text, 'segment.' || $3::text) > 0)))
       ORDER BY name LIMIT ${maxSegmentUses}`,
      [projectId, events, id],
    );
    return rows.map(({ name }) => name);
  }

  async anyEnabledBy(projectId: string, templateId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM workflows w JOIN workflow_steps s ON s.project_id = w.project_id AND s.workflow_id = w.id
       WHERE w.project_id = $1 AND w.enabled AND s.config ->> 'templateId' = $2 LIMIT 1`,
      [projectId, templateId],
    );
    return rows.length > 0;
  }
}

function templateOf({ config: { templateId } }: Pick<WorkflowStep, 'config'>): string | null {
  return typeof templateId === 'string' && isUuid(templateId) ? templateId : null;
}
