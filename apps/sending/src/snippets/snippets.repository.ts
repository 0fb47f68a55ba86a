import type { ListSnippets, SnippetFilter } from '@posthorn/contracts';
import { CountedRepository, escapeLike, totalCap, type Database, type Page } from '@posthorn/database';
import { SnippetRow } from './snippet.entity.js';

export interface IncludedSnippet {
  name: string;
  versionId: string;
  body: string;
  includes: string[];
}

export class SnippetsRepository extends CountedRepository<SnippetRow> {
  constructor(database: Database) {
    super(database, SnippetRow);
  }

  list(projectId: string, request: ListSnippets): Promise<Page<SnippetRow>> {
    return this.page(projectId, request, filtersOf(request));
  }

  async countMatches(projectId: string, { search = '' }: SnippetFilter): Promise<number> {
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM snippets WHERE project_id = $1 AND (name ILIKE $2 OR description ILIKE $2) LIMIT ${totalCap + 1}
       ) AS capped`,
      [projectId, `%${escapeLike(search)}%`],
    );
    return counted!.count;
  }

  /** Serializes changes of includes within the project until the end of the transaction. */
  async lockAll(projectId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1::text, 10))`, [projectId]);
  }

  async isNameTaken(projectId: string, name: string, id: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM snippets WHERE project_id = $1 AND name = $2 AND id <> $3`,
      [projectId, name, id],
    );
    return rows.length > 0;
  }

  async withIncluded(projectId: string, names: string[]): Promise<IncludedSnippet[]> {
    if (names.length === 0) return [];
    return this.database.query(
      `WITH RECURSIVE included AS (
         SELECT id, includes FROM snippets WHERE project_id = $1 AND name = ANY ($2::text[])
         UNION
         SELECT snippet.id, snippet.includes FROM included JOIN snippets snippet ON snippet.project_id = $1 AND snippet.name = ANY (included.includes)
       )
       SELECT name, version_id AS "versionId", body, includes FROM snippets WHERE project_id = $1 AND id IN (SELECT id FROM included)`,
      [projectId, names],
    );
  }

  async keepVersion({ projectId, id, versionId, body }: SnippetRow): Promise<void> {
    await this.database.query(
      `INSERT INTO snippet_versions (project_id, id, snippet_id, body) VALUES ($1, $2, $3, $4)`,
      [projectId, versionId, id, body],
    );
  }
}

const filtersOf = ({ search }: SnippetFilter) =>
  search === undefined
    ? []
    : [
        {
          sql: '(row.name ILIKE :search OR row.description ILIKE :search)',
          parameters: { search: `%${escapeLike(search)}%` },
        },
      ];
