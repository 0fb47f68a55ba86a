import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Items that are known keep what they were enqueued with. Claimed ones would collide where a project has several; there are ten at most. */
export class ExclusiveDomainChecks1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE work_items SET exclusive = true
       WHERE kind = 'sending.domain-checks' AND NOT exclusive AND state NOT IN ('CLAIMED', 'SUSPECT')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE work_items SET exclusive = false WHERE kind = 'sending.domain-checks'`);
  }
}
