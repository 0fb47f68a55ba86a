import { emailCategories, templateFormats } from '@posthorn/contracts';
import { createProjectCounts } from '@posthorn/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Templates and snippets as they are now, and every version of what they said: accepted mail names versions (decision 0014). */
export class Templates1764400100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createProjectCounts(runner);
    await this.createTemplates(runner);
    await this.createSnippets(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE templates, template_versions, snippets, snippet_versions, project_counts`);
  }

  private async createTemplates(runner: QueryRunner): Promise<void> {
    const content = `
        subject text NOT NULL,
        body text NOT NULL,
        format text NOT NULL CHECK (format IN (${oneOf(templateFormats)})),
        from_email text,
        from_name text,
        reply_to text,`;
    await runner.query(`
      CREATE TABLE templates (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        description text,${content}
        email_category text NOT NULL CHECK (email_category IN (${oneOf(emailCategories)})),
        version integer NOT NULL DEFAULT 1,
        includes text[] NOT NULL,
        liquid boolean NOT NULL,
        seq bigint NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(
      `CREATE INDEX templates_by_creation ON templates (project_id, created_at DESC, id DESC)`,
    );
    await runner.query(`
      CREATE TABLE template_versions (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        template_id uuid NOT NULL,
        version integer NOT NULL,${content}
        html text,
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (project_id, id),
        UNIQUE (project_id, template_id, version)
      )`);
  }

  private async createSnippets(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE snippets (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        description text,
        body text NOT NULL,
        version_id uuid NOT NULL,
        includes text[] NOT NULL,
        seq bigint NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id),
        UNIQUE (project_id, name)
      )`);
    await runner.query(
      `CREATE INDEX snippets_by_creation ON snippets (project_id, created_at DESC, id DESC)`,
    );
    await runner.query(`
      CREATE TABLE snippet_versions (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        snippet_id uuid NOT NULL,
        body text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (project_id, id)
      )`);
  }
}
