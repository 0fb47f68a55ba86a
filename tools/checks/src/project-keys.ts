import type { Database } from '@posthorn/database';

/** Keys that need no project, by the table and its columns, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'outbox (id)': 'the relay reads the events of all projects in the order of their ids',
  'work_items (id)': 'a claim takes the work of all projects, and names items by id',
  'contact_count_deltas (id)': 'only inserted and folded',
  'event_count_deltas (id)': 'only inserted and folded',
  'list_count_deltas (id)': 'only inserted and folded',
  'segment_count_deltas (id)': 'only inserted and folded',
  'domains (domain)': 'a domain belongs to one project of the installation',
  'api_keys (token_hash)': 'who asks is not known before the key is found',
  'api_key_reveals (link_hash)': 'who asks is not known before the link is found',
  'invitations (token_hash)': 'who asks is not known before the link is found',
  'invitations (invited_by)': 'people belong to the installation',
  'members (user_id)': 'people belong to the installation',
};

/**
 * Keys of rows of a project that do not name the project. With it in each primary, unique and foreign key, the rows of a project can
 * move to another database, or be spread over several, without a change of statements
 */
export async function unscopedKeys(database: Database): Promise<string[]> {
  const keys = await database.query<{ key: string }>(
    `WITH of_projects AS (
       SELECT c.oid, a.attnum FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id'
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     ), keys AS (
       SELECT i.indrelid AS oid, i.indkey::int2[] AS columns FROM pg_index i WHERE i.indisunique
       UNION ALL SELECT conrelid, conkey FROM pg_constraint WHERE contype = 'f'
     )
     SELECT DISTINCT p.oid::regclass || ' (' || (
       SELECT coalesce(string_agg(a.attname, ', ' ORDER BY k.n), 'an expression') FROM unnest(keys.columns) WITH ORDINALITY AS k (attnum, n)
       JOIN pg_attribute a ON a.attrelid = p.oid AND a.attnum = k.attnum
     ) || ')' AS key
     FROM of_projects p JOIN keys ON keys.oid = p.oid WHERE NOT p.attnum = ANY (keys.columns) ORDER BY 1`,
  );
  return keys
    .filter(({ key }) => !Object.hasOwn(exceptions, key))
    .map(({ key }) => `the key ${key} has no project_id`);
}
