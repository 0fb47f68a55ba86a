import type { MigrationInterface, QueryRunner } from 'typeorm';

const renamed = [
  ['waits_for_allowance', 'waits_for_next_period'],
  ['has_slot', 'has_turn'],
] as const;

/** The two columns had other names at first: installations of that time have them, all others pass. */
export class NameWaits1765500100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [before, after] of renamed)
      if (await runner.hasColumn('deliveries', before))
        await runner.query(`ALTER TABLE deliveries RENAME COLUMN ${before} TO ${after}`);
  }

  /** The migrations before it know only the new names. */
  async down(): Promise<void> {}
}
