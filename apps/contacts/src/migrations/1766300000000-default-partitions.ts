import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids are made by processes, whose clocks may be wrong: on a new installation those of a day ago fit into no partition. */
export class DefaultPartitions1766300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['events', 'contact_history'])
      await runner.query(`CREATE TABLE IF NOT EXISTS ${table}_default PARTITION OF ${table} DEFAULT`);
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on these tables too');
  }
}
