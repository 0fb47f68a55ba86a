import {
  isUuid,
  maxSegmentUses,
  type GetSegmentUses,
  type WorkflowGraph,
  type WorkflowStep,
  type WorkflowTransition,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { graphSql } from './graphs.repository.js';

interface StoredGraph {
  version: number;
  graph: { steps: Omit<WorkflowStep, 'templateId'>[]; transitions: WorkflowTransition[] };
}

/** What a disabled workflow started may still run. */
const isInUse = `(w.enabled OR EXISTS (
  SELECT FROM executions e WHERE e.project_id = w.project_id AND e.workflow_id = w.id AND e.generation = w.generation AND e.ended_at IS NULL))`;

/** Reads steps, transitions and version in one statement, so that they are consistent. */
export class Graphs {
  constructor(private readonly database: Database) {}

  async find(projectId: string, workflowId: string): Promise<WorkflowGraph | null> {
    const [stored] = await this.database.query<StoredGraph>(
      `SELECT w.version, ${graphSql} AS graph FROM workflows w WHERE w.project_id = $1 AND w.id = $2`,
      [projectId, workflowId],
    );
    return stored ? shown(workflowId, stored) : null;
  }

  async version(projectId: string, workflowId: string, version: number): Promise<WorkflowGraph | null> {
    const [stored] = await this.database.query<StoredGraph>(
      `SELECT version, graph FROM workflow_versions WHERE project_id = $1 AND workflow_id = $2 AND version = $3`,
      [projectId, workflowId, version],
    );
    return stored ? shown(workflowId, stored) : null;
  }

  /** Names of enabled workflows that are triggered by the segment, started for it, wait for it, or refer to it in a condition. */
  async enabledBySegment(projectId: string, { id, slugs }: GetSegmentUses): Promise<string[]> {
    const events = slugs.flatMap((slug) => ['entry', 'exit'].map((change) => `segment.${slug}.${change}`));
    const rows = await this.database.query<{ name: string }>(
      `SELECT name FROM workflows w WHERE project_id = $1 AND ${isInUse} AND (event_name = ANY ($2::text[]) OR segment_id::text = $3 OR id IN (
         SELECT workflow_id FROM workflow_steps WHERE project_id = $1 AND type = 'WAIT_FOR_EVENT' AND config ->> 'eventName' = ANY ($2::text[])
         UNION ALL
         SELECT workflow_id FROM workflow_steps WHERE project_id = $1 AND type = 'CONDITION' AND strpos(config::text, 'segment.' || $3::text) > 0))
       ORDER BY name LIMIT ${maxSegmentUses}`,
      [projectId, events, id],
    );
    return rows.map(({ name }) => name);
  }

  async wasStopped(projectId: string, workflowId: string, reason: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM executions WHERE project_id = $1 AND workflow_id = $2 AND status = 'FAILED' AND started_at > now() - interval '7 days' AND reason = $3 LIMIT 1`,
      [projectId, workflowId, reason],
    );
    return rows.length > 0;
  }

  async anyEnabledBy(projectId: string, templateId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM workflows w JOIN workflow_steps s ON s.project_id = w.project_id AND s.workflow_id = w.id
       WHERE w.project_id = $1 AND ${isInUse} AND s.type = 'SEND_EMAIL' AND lower(s.config ->> 'templateId') = lower($2) LIMIT 1`,
      [projectId, templateId],
    );
    return rows.length > 0;
  }
}

function shown(workflowId: string, { version, graph }: StoredGraph): WorkflowGraph {
  const steps = graph.steps.map((step) => ({ ...step, templateId: templateOf(step) }));
  return { workflowId, version, steps, transitions: graph.transitions };
}

function templateOf({ config: { templateId } }: Pick<WorkflowStep, 'config'>): string | null {
  return typeof templateId === 'string' && isUuid(templateId) ? templateId : null;
}
