import type { ListTemplates, ListTemplateVersions, TemplateFilter } from '@posthorn/contracts';
import {
  CountedRepository,
  escapeLike,
  keysetCondition,
  maxPageBytes,
  newId,
  pageLimit,
  toPage,
  totalCap,
  type Database,
  type Page,
} from '@posthorn/database';
import { TemplateRow, TemplateVersionRow } from './template.entity.js';

export type CurrentTemplate = Pick<
  TemplateRow,
  'id' | 'version' | 'subject' | 'from' | 'fromName' | 'replyTo' | 'emailCategory' | 'includes' | 'liquid'
>;

const content = `subject, body, format, from_email AS "from", from_name AS "fromName", reply_to AS "replyTo"`;
const columns = `project_id AS "projectId", id, name, description, ${content}, email_category AS "emailCategory", version, includes, liquid, seq,
  created_at AS "createdAt", updated_at AS "updatedAt"`;
const matching = `project_id = $1 AND ($2::text IS NULL OR name ILIKE $2) AND ($3::text IS NULL OR email_category = $3)`;

/** The size of the bodies before a row, so that the query does not read more bodies than fit into a page. */
const bytesBefore = (order: string) =>
  `sum(octet_length(body)) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before`;
const newest = 'created_at DESC, id DESC';

export class TemplatesRepository extends CountedRepository<TemplateRow> {
  constructor(database: Database) {
    super(database, TemplateRow);
  }

  async list(projectId: string, request: ListTemplates): Promise<Page<TemplateRow>> {
    const keyset = keysetCondition(request.after, 5);
    const rows = await this.database.query<TemplateRow>(
      `SELECT ${columns} FROM (
         SELECT *, ${bytesBefore(newest)} FROM templates WHERE ${matching} ${keyset.sql} ORDER BY ${newest} LIMIT $4
       ) AS page WHERE coalesce(before, 0) <= ${maxPageBytes} ORDER BY ${newest}`,
      [projectId, ...filterOf(request), pageLimit(request) + 1, ...keyset.parameters],
    );
    const found = rows.map((row) => Object.assign(new TemplateRow(), row));
    return toPage(found, request);
  }

  async current(projectId: string, id: string): Promise<CurrentTemplate | null> {
    const [template] = await this.database.query<CurrentTemplate>(
      `SELECT id, version, subject, from_email AS "from", from_name AS "fromName", reply_to AS "replyTo", email_category AS "emailCategory",
         includes, liquid
       FROM templates WHERE project_id = $1 AND id = $2`,
      [projectId, id],
    );
    return template ?? null;
  }

  async idsAmong(projectId: string, ids: string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM templates WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
    return rows.map(({ id }) => id);
  }

  async countMatches(projectId: string, filter: TemplateFilter): Promise<number> {
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM templates WHERE ${matching} LIMIT ${totalCap + 1}) AS capped`,
      [projectId, ...filterOf(filter)],
    );
    return counted!.count;
  }

  async keepVersion(
    { projectId, id, version, subject, body, format, from, fromName, replyTo }: TemplateRow,
    html: string | null,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO template_versions (project_id, id, template_id, version, subject, body, format, from_email, from_name, reply_to, html)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [projectId, newId(), id, version, subject, body, format, from, fromName, replyTo, html],
    );
  }

  async versions(projectId: string, request: ListTemplateVersions): Promise<Page<TemplateVersionRow>> {
    const keyset = keysetCondition(request.after, 4);
    const rows = await this.database.query<TemplateVersionRow>(
      `SELECT id, version, ${content}, created_at AS "createdAt" FROM (
         SELECT *, ${bytesBefore(newest)} FROM template_versions WHERE project_id = $1 AND template_id = $2 ${keyset.sql}
         ORDER BY ${newest} LIMIT $3
       ) AS page WHERE coalesce(before, 0) <= ${maxPageBytes} ORDER BY ${newest}`,
      [projectId, request.id, pageLimit(request) + 1, ...keyset.parameters],
    );
    const found = rows.map((row) => Object.assign(new TemplateVersionRow(), row));
    return toPage(found, request);
  }
}

const filterOf = ({ search, emailCategory }: TemplateFilter): unknown[] => [
  search === undefined ? null : `%${escapeLike(search)}%`,
  emailCategory ?? null,
];
