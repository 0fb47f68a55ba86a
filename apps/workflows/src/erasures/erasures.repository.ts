import type { Database } from '@posthorn/database';
import type { CountChange } from '../counts/workflow-counts.repository.js';
import { fanOutWork, startWork } from '../work-kinds.js';

interface StoredGraph {
  workflowId: string;
  version: number;
  document: unknown;
}

/** The index of starts is partial, so the kind is no parameter. */
const holdsEntry = `kind = '${startWork.name}' AND project_id = $1 AND payload -> 'entries' @> jsonb_build_array(jsonb_build_object('contactId', $2::text))`;

const isFanOutFor = `kind = '${fanOutWork.name}' AND project_id = $1 AND payload -> 'arrivals' @> jsonb_build_array(jsonb_build_object('contactId', $2::text))`;

export class ErasedExecutions {
  constructor(private readonly database: Database) {}

  async running(projectId: string, contactId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM executions WHERE project_id = $1 AND contact_id = $2 AND ended_at IS NULL`,
      [projectId, contactId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns whether there may be more. */
  async empty(projectId: string, contactId: string, limit: number): Promise<boolean> {
    const emptied = await this.database.query<{ id: string }>(
      `UPDATE executions SET context = '{}', event = NULL WHERE project_id = $1 AND contact_id = $2 AND id IN (
         SELECT id FROM executions WHERE project_id = $1 AND contact_id = $2 AND (context <> '{}' OR event IS NOT NULL) LIMIT $3) RETURNING id`,
      [projectId, contactId, limit],
    );
    const steps = await this.database.query(
      `UPDATE execution_steps SET input = NULL, output = NULL, error = NULL WHERE (project_id, execution_id, id) IN (
         SELECT s.project_id, s.execution_id, s.id FROM executions e JOIN execution_steps s ON s.project_id = e.project_id AND s.execution_id = e.id
         WHERE e.project_id = $1 AND e.contact_id = $2 AND (s.input IS NOT NULL OR s.output IS NOT NULL OR s.error IS NOT NULL) LIMIT $3) RETURNING 1`,
      [projectId, contactId, limit],
    );
    return emptied.length === limit || steps.length === limit;
  }

  async forgetEvents(projectId: string, contactId: string): Promise<void> {
    const forget = [
      `DELETE FROM awaited_events WHERE project_id = $1 AND contact_id = $2`,
      `DELETE FROM step_texts t USING executions e WHERE t.project_id = $1 AND e.project_id = $1 AND e.id = t.execution_id AND e.contact_id = $2`,
      `UPDATE work_items SET payload = jsonb_set(payload, '{arrivals}', (SELECT coalesce(jsonb_agg(a), '[]')
         FROM jsonb_array_elements(payload -> 'arrivals') AS a WHERE a ->> 'contactId' <> $2::text)) WHERE ${isFanOutFor} AND state <> 'CLAIMED'`,
    ];
    for (const sql of forget) await this.database.query(sql, [projectId, contactId]);
  }

  /** Returns the starts that wait no longer. Batches that are running are left: they count what they hold. */
  async forgetStarts(projectId: string, contactId: string): Promise<CountChange[]> {
    return this.database.query(
      `WITH held AS (
         SELECT id, payload FROM work_items
         WHERE ${holdsEntry} AND state <> 'CLAIMED' FOR UPDATE),
       rest AS (
         SELECT h.id, count(*) FILTER (WHERE NOT stays)::int AS gone, coalesce(jsonb_agg(entry ORDER BY place) FILTER (WHERE stays), '[]') AS entries
         FROM held h, jsonb_array_elements(h.payload -> 'entries') WITH ORDINALITY AS e (entry, place),
           LATERAL (SELECT entry ->> 'contactId' <> $2::text AS stays) AS kept GROUP BY h.id),
       forgotten AS (
         UPDATE work_items w SET payload = jsonb_set(w.payload, '{entries}', r.entries) FROM rest r WHERE w.id = r.id
         RETURNING w.payload, r.gone)
       SELECT payload ->> 'workflowId' AS "workflowId", NULL AS "stepId", 'PUT_OFF' AS counter, -sum(gone)::int AS by
       FROM forgotten WHERE payload ? 'putOff' GROUP BY 1`,
      [projectId, contactId],
    );
  }

  async areStarting(projectId: string, contactId: string): Promise<boolean> {
    const running = await this.database.query(
      `SELECT 1 FROM work_items WHERE ${holdsEntry} UNION ALL SELECT 1 FROM work_items WHERE ${isFanOutFor} LIMIT 1`,
      [projectId, contactId],
    );
    return running.length > 0;
  }

  lockVersions(projectId: string, pattern: string): Promise<StoredGraph[]> {
    return this.database.query(
      `SELECT workflow_id AS "workflowId", version, graph AS document FROM workflow_versions
       WHERE project_id = $1 AND graph::text ~* $2 ORDER BY workflow_id, version FOR UPDATE`,
      [projectId, pattern],
    );
  }

  async rewriteVersions(projectId: string, graphs: readonly StoredGraph[]): Promise<void> {
    await this.database.query(
      `UPDATE workflow_versions v SET graph = g.document
       FROM unnest($2::uuid[], $3::int[], $4::json[]) AS g (workflow_id, version, document)
       WHERE v.project_id = $1 AND v.workflow_id = g.workflow_id AND v.version = g.version`,
      [
        projectId,
        graphs.map(({ workflowId }) => workflowId),
        graphs.map(({ version }) => version),
        graphs.map(({ document }) => JSON.stringify(document)),
      ],
    );
  }
}

/** The key of a row inside its project, and its texts in which an address may stand. */
export interface SearchedTable {
  name: string;
  keys: readonly string[];
  texts: readonly string[];
}

export interface FoundTexts {
  key: string[];
  texts: (string | null)[];
}

export const searchedTables: readonly SearchedTable[] = [
  { name: 'call_requests', keys: ['id'], texts: ['url', 'headers', 'body'] },
  { name: 'calls', keys: ['id'], texts: ['response_body'] },
];

const lowest = '00000000-0000-0000-0000-000000000000';

/** Of an event its head stays. */
const erasedOfContact = `
  WITH emptied AS (
    UPDATE call_requests SET contact_id = NULL, body = CASE WHEN execution_id IS NULL THEN json_build_object('id', body::json -> 'id',
        'type', body::json -> 'type', 'createdAt', body::json -> 'createdAt', 'data', json '{}')::text END,
      url = CASE WHEN execution_id IS NOT NULL THEN 'https://erased.invalid/' END, headers = CASE WHEN execution_id IS NOT NULL THEN json '{}' END
    WHERE project_id = $1 AND id IN (SELECT id FROM call_requests WHERE project_id = $1 AND contact_id = $2 LIMIT $3) RETURNING id),
  ended AS (
    UPDATE calls c SET response_body = NULL, due_at = NULL, status = CASE WHEN status = 'PENDING' THEN 'FAILED' ELSE status END,
      error = CASE WHEN status = 'PENDING' THEN 'The contact was deleted' ELSE error END, ended_at = coalesce(ended_at, now())
    FROM emptied WHERE c.project_id = $1 AND c.request_id = emptied.id)
  SELECT id FROM emptied`;

export class ErasedCallsRepository {
  constructor(private readonly database: Database) {}

  /** Events that come late make no calls. */
  async bury(projectId: string, contactId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO erased_contacts (project_id, contact_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [projectId, contactId],
    );
  }

  /** Returns whether there may be more. */
  async eraseOf(projectId: string, contactId: string, limit: number): Promise<boolean> {
    const erased = await this.database.query(erasedOfContact, [projectId, contactId, limit]);
    return erased.length === limit;
  }

  /** Of the next rows those that contain the pattern, locked, and the key of the last; null at the end. */
  async lockNextContaining(
    { name, keys, texts }: SearchedTable,
    projectId: string,
    pattern: string,
    { after, limit }: { after: readonly string[] | null; limit: number },
  ): Promise<{ last: string[]; found: FoundTexts[] } | null> {
    const names = keys.join(', ');
    const rows = await this.database.query<{
      last: string[];
      key: string[] | null;
      texts: FoundTexts['texts'];
    }>(
      // The page is read by its index first: whether the rest of the condition holds says nothing about how many rows follow.
      `WITH next AS MATERIALIZED (
         SELECT ${names} FROM ${name} WHERE project_id = $1 AND (${names}) > ${parametersOf(keys, 4)} ORDER BY ${names} LIMIT $3),
       last AS (SELECT ARRAY[${names}] AS key FROM next ORDER BY ${keys.map((key) => `${key} DESC`).join(', ')} LIMIT 1),
       found AS (
         SELECT ARRAY[${keys.map((key) => `t.${key}`).join(', ')}] AS key, ARRAY[${texts.map((text) => `t.${text}::text`).join(', ')}] AS texts
         FROM next JOIN ${name} t USING (${names})
         WHERE t.project_id = $1 AND (${texts.map((text) => `t.${text}::text ~* $2`).join(' OR ')}) ORDER BY ${names} FOR UPDATE OF t)
       SELECT last.key AS last, found.key, found.texts FROM last LEFT JOIN found ON true`,
      [projectId, pattern, limit, ...(after ?? keys.map(() => lowest))],
    );
    if (rows.length === 0) return null;
    const found = rows.flatMap(({ key, texts: given }) => (key ? [{ key, texts: given }] : []));
    return { last: rows[0]!.last, found };
  }

  async rewrite(
    { name, keys, texts }: SearchedTable,
    projectId: string,
    rows: readonly FoundTexts[],
  ): Promise<void> {
    const columns = [...keys.map((key) => `${key}_key`), ...texts.map((text) => `new_${text}`)];
    const types = [
      ...keys.map(() => 'uuid[]'),
      ...texts.map((text) => (text === 'headers' ? 'json[]' : 'text[]')),
    ];
    await this.database.query(
      `UPDATE ${name} SET ${texts.map((text) => `${text} = new_${text}`).join(', ')}
       FROM unnest(${types.map((type, index) => `$${index + 2}::${type}`).join(', ')}) AS given (${columns.join(', ')})
       WHERE project_id = $1 AND ${keys.map((key) => `${key} = ${key}_key`).join(' AND ')}`,
      [
        projectId,
        ...keys.map((_, index) => rows.map(({ key }) => key[index])),
        ...texts.map((_, index) => rows.map((row) => row.texts[index])),
      ],
    );
  }
}

const parametersOf = (keys: readonly string[], first: number): string =>
  `(${keys.map((_, index) => `$${first + index}::uuid`).join(', ')})`;
