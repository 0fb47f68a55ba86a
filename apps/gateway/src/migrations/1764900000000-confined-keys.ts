import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Null confines nothing (docs/decisions/0023). */
export class ConfinedKeys1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys ADD COLUMN confine jsonb,
        ADD CONSTRAINT api_keys_confine_check CHECK (confine IS NULL OR legacy_grant_preset = 'SENDING_ONLY')`);
  }

  async down(): Promise<void> {
    throw new Error('confined keys would reach everything');
  }
}
