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

  /** The key of the last of the next rows; null at the end. */
  async lastOfNext(
    { name, keys }: SearchedTable,
    projectId: string,
    after: readonly string[] | null,
    limit: number,
  ): Promise<string[] | null> {
    const [last] = await this.database.query<{ key: string[] }>(
      `SELECT ARRAY[${keys.join(', ')}] AS key FROM (
         SELECT ${keys.join(', ')} FROM ${name} WHERE project_id = $1 AND ${rowOf(keys)} > ${parametersOf(keys, 3)} ORDER BY ${keys.join(', ')} LIMIT $2
       ) AS next ORDER BY ${keys.map((key) => `${key} DESC`).join(', ')} LIMIT 1`,
      [projectId, limit, ...(after ?? keys.map(() => lowest))],
    );
    return last?.key ?? null;
  }

  lockContaining(
    { name, keys, texts }: SearchedTable,
    projectId: string,
    pattern: string,
    [after, last]: readonly [readonly string[] | null, readonly string[]],
  ): Promise<FoundTexts[]> {
    return this.database.query(
      `SELECT ARRAY[${keys.join(', ')}] AS key, ARRAY[${texts.map((text) => `${text}::text`).join(', ')}] AS texts FROM ${name}
       WHERE project_id = $1 AND ${rowOf(keys)} > ${parametersOf(keys, 3)} AND ${rowOf(keys)} <= ${parametersOf(keys, 3 + keys.length)}
         AND (${texts.map((text) => `${text}::text ~* $2`).join(' OR ')}) ORDER BY ${keys.join(', ')} FOR UPDATE`,
      [projectId, pattern, ...(after ?? keys.map(() => lowest)), ...last],
    );
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

const rowOf = (keys: readonly string[]): string => `(${keys.join(', ')})`;
const parametersOf = (keys: readonly string[], first: number): string =>
  `(${keys.map((_, index) => `$${first + index}::uuid`).join(', ')})`;
