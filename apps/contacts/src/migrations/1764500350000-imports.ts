import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables of contacts on their way in: the job with its cursor, its file in pieces, what became of a bad row (docs/decisions/0018). */
export class Imports1764500350000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createJobs(runner);
    await this.createPieces(runner);
    await runner.query(`
      CREATE TABLE import_errors (
        project_id uuid NOT NULL,
        import_id uuid NOT NULL,
        line bigint NOT NULL,
        reason text NOT NULL,
        PRIMARY KEY (project_id, import_id, line)
      )`);
  }

  async down(): Promise<void> {
    throw new Error('what was imported would not be told any more');
  }

  private async createJobs(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE imports (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        status text COLLATE "C" NOT NULL CHECK (status IN ('UPLOADING', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
        mode text COLLATE "C" NOT NULL,
        list_ids uuid[] NOT NULL,
        subscribed boolean,
        origin jsonb NOT NULL,
        layout jsonb NOT NULL,
        pieces integer NOT NULL DEFAULT 0,
        position bigint NOT NULL DEFAULT 0,
        line bigint NOT NULL DEFAULT 0,
        total bigint NOT NULL DEFAULT 0,
        processed bigint NOT NULL DEFAULT 0,
        created bigint NOT NULL DEFAULT 0,
        updated bigint NOT NULL DEFAULT 0,
        skipped bigint NOT NULL DEFAULT 0,
        failed bigint NOT NULL DEFAULT 0,
        taken_until timestamptz(3),
        turn_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        PRIMARY KEY (project_id, id)
      ) WITH (fillfactor = 70)`);
    await runner.query(`CREATE INDEX imports_by_creation ON imports (project_id, created_at DESC, id DESC)`);
    await runner.query(`CREATE INDEX imports_open ON imports (turn_at) WHERE finished_at IS NULL`);
    await runner.query(
      `CREATE INDEX imports_over ON imports (finished_at) WHERE finished_at IS NOT NULL AND pieces > 0`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX imports_running ON imports (project_id) WHERE status = 'RUNNING'`,
    );
  }

  private async createPieces(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE import_pieces (
        project_id uuid NOT NULL,
        import_id uuid NOT NULL,
        place integer NOT NULL,
        bytes bytea NOT NULL,
        PRIMARY KEY (project_id, import_id, place)
      )`);
    // Compressing takes longer than writing, and the bytes are gone soon.
    await runner.query(`ALTER TABLE import_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL`);
  }
}
