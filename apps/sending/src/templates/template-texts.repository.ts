import type { Database } from '@posthorn/database';

export interface TemplateRef {
  projectId: string;
  templateId: string;
  version: number;
}

export interface SnippetRef {
  projectId: string;
  id: string;
}

export interface TemplateText extends TemplateRef {
  subject: string;
  html: string;
}

export interface SnippetText extends SnippetRef {
  body: string;
}

export class TemplateTextsRepository {
  constructor(private readonly database: Database) {}

  async templates(refs: TemplateRef[]): Promise<TemplateText[]> {
    return this.database.query(
      `SELECT project_id AS "projectId", template_id AS "templateId", version, subject, coalesce(html, body) AS html FROM template_versions
       JOIN unnest($1::uuid[], $2::uuid[], $3::int[]) AS requested (project_id, template_id, version) USING (project_id, template_id, version)`,
      [
        refs.map(({ projectId }) => projectId),
        refs.map(({ templateId }) => templateId),
        refs.map(({ version }) => version),
      ],
    );
  }

  async snippets(refs: SnippetRef[]): Promise<SnippetText[]> {
    return this.database.query(
      `SELECT project_id AS "projectId", id, body FROM snippet_versions
       JOIN unnest($1::uuid[], $2::uuid[]) AS requested (project_id, id) USING (project_id, id)`,
      [refs.map(({ projectId }) => projectId), refs.map(({ id }) => id)],
    );
  }
}
