import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first migration of a database makes all its tables. Those after it only add, so that the release before them still works. */
export const baselineOf = (database: string, tables: readonly string[]): new () => MigrationInterface =>
  class implements MigrationInterface {
    readonly name = `${database}Baseline1767000000000`;

    async up(runner: QueryRunner): Promise<void> {
      for (const statements of tables) await runner.query(statements);
    }

    async down(): Promise<void> {
      throw new Error('the baseline is not undone: drop the database');
    }
  };
