import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which segments a contact is in is asked for everybody who changes: the index answers it, since their rows lie where each segment grew. */
export class SegmentsOfAContact1764500600400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX segment_members_by_contact ON segment_members (project_id, contact_id, segment_id)`,
    );
    await runner.query(`DROP INDEX segment_members_of_contact`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX segment_members_of_contact ON segment_members (project_id, contact_id)`);
    await runner.query(`DROP INDEX segment_members_by_contact`);
  }
}
