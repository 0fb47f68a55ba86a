import type { Database } from '@posthorn/database';

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
  { name: 'webhook_calls', keys: ['webhook_id', 'id'], texts: ['body', 'response_body'] },
  { name: 'step_calls', keys: ['id'], texts: ['url', 'headers', 'body', 'response_body'] },
];

const lowest = '00000000-0000-0000-0000-000000000000';

const ended = `response_body = NULL, contact_id = NULL, due_at = NULL, status = CASE WHEN status = 'PENDING' THEN 'FAILED' ELSE status END,
  error = CASE WHEN status = 'PENDING' THEN 'The contact was deleted' ELSE error END, ended_at = coalesce(ended_at, now())`;

const erasedOfContact = [
  `UPDATE webhook_calls SET ${ended}, body = json_build_object('id', event_id, 'type', event_type,
     'createdAt', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', json '{}')::text
   WHERE project_id = $1 AND contact_id = $2 AND (webhook_id, id) IN (
     SELECT webhook_id, id FROM webhook_calls WHERE project_id = $1 AND contact_id = $2 LIMIT $3) RETURNING 1`,
  `UPDATE step_calls SET ${ended}, url = 'https://erased.invalid/', headers = '{}', body = NULL
   WHERE project_id = $1 AND id IN (SELECT id FROM step_calls WHERE project_id = $1 AND contact_id = $2 LIMIT $3) RETURNING 1`,
];

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
    let isMore = false;
    for (const sql of erasedOfContact)
      isMore ||= (await this.database.query(sql, [projectId, contactId, limit])).length === limit;
    return isMore;
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
