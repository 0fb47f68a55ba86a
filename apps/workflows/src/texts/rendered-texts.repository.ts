import { storableText } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';

export interface RenderedTexts {
  executionId: string;
  /** Of the visit for which they are. */
  effectId: string;
  texts: string[] | null;
  /** Why one of them cannot be rendered. */
  error: string | null;
}

/** Liquid can write what Postgres cannot store. */
const storable = (text: string): string => storableText(text, '\ufffd');

const columns = columnsOf<RenderedTexts>([
  { column: 'execution_id', type: 'uuid', value: ({ executionId }) => executionId },
  { column: 'effect_id', type: 'uuid', value: ({ effectId }) => effectId },
  { column: 'texts', type: 'jsonb', value: ({ texts }) => texts && JSON.stringify(texts.map(storable)) },
  { column: 'error', type: 'text', value: ({ error }) => error && storable(error) },
]);

/** Texts of executions that wait to be rendered, and those that are, until they are used. */
export class RenderedTextsRepository {
  constructor(private readonly database: Database) {}

  async request(projectId: string, executionIds: readonly string[]): Promise<void> {
    await this.database.query(
      `INSERT INTO step_texts (project_id, execution_id) SELECT $1, id FROM unnest($2::uuid[]) AS e (id)
       ON CONFLICT (project_id, execution_id) DO UPDATE SET effect_id = NULL, texts = NULL, error = NULL`,
      [projectId, executionIds],
    );
  }

  async pending(projectId: string, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT execution_id AS id FROM step_texts WHERE project_id = $1 AND effect_id IS NULL ORDER BY requested_at, execution_id LIMIT $2`,
      [projectId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Behind the others. */
  async putBack(projectId: string, executionId: string): Promise<void> {
    await this.database.query(
      `UPDATE step_texts SET requested_at = clock_timestamp() WHERE project_id = $1 AND execution_id = $2`,
      [projectId, executionId],
    );
  }

  async store(projectId: string, rendered: readonly RenderedTexts[]): Promise<void> {
    if (rendered.length === 0) return;
    await this.database.query(
      `UPDATE step_texts t SET effect_id = r.effect_id, texts = r.texts, error = r.error FROM ${columns.unnest('r', 2)}
       WHERE t.project_id = $1 AND t.execution_id = r.execution_id`,
      [projectId, ...columns.values([...rendered])],
    );
  }

  of(projectId: string, executionIds: readonly string[]): Promise<RenderedTexts[]> {
    return this.database.query(
      `SELECT execution_id AS "executionId", effect_id AS "effectId", texts, error FROM step_texts
       WHERE project_id = $1 AND execution_id = ANY ($2::uuid[]) AND effect_id IS NOT NULL`,
      [projectId, executionIds],
    );
  }

  async remove(projectId: string, executionIds: readonly string[]): Promise<void> {
    if (executionIds.length === 0) return;
    await this.database.query(
      `DELETE FROM step_texts WHERE project_id = $1 AND execution_id = ANY ($2::uuid[])`,
      [projectId, executionIds],
    );
  }
}
