import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What segments ask of the other nouns: memberships, and summaries of what happened; never raw events (docs/decisions/0018). */
export class AudienceGround1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE memberships (
        project_id uuid NOT NULL,
        list_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        id uuid NOT NULL,
        status text COLLATE "C" NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'UNSUBSCRIBED')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, list_id, contact_id)
      )`);
    await runner.query(`CREATE INDEX memberships_of_contact ON memberships (project_id, contact_id)`);
    await this.createSummaries(runner);
    await this.createDirt(runner);
  }

  async down(): Promise<void> {
    throw new Error('what was recorded of contacts would be lost');
  }

  private async createSummaries(runner: QueryRunner): Promise<void> {
    for (const [table, what] of [
      ['event_summaries', 'name'],
      ['mail_summaries', 'kind'],
    ]) {
      await runner.query(`
        CREATE TABLE ${table} (
          project_id uuid NOT NULL,
          contact_id uuid NOT NULL,
          ${what} text COLLATE "C" NOT NULL,
          count bigint NOT NULL,
          first_at timestamptz(3) NOT NULL,
          last_at timestamptz(3) NOT NULL,
          PRIMARY KEY (project_id, contact_id, ${what})
        ) WITH (fillfactor = 80)`);
    }
  }

  /** Contacts whose segments are to be looked at again: appended in the commit of the change, never updated. */
  private async createDirt(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE segment_dirty (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`);
  }
}
