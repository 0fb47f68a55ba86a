import type { QueryRunner } from '../data-source.js';

class CreateOutbox1700000000000 {
  up = (runner: QueryRunner) =>
    runner.query('CREATE TABLE outbox (id uuid PRIMARY KEY) PARTITION BY RANGE (id)');
  down = (runner: QueryRunner) => runner.query('DROP TABLE outbox');
}

export const bareParts = { entities: [], migrations: [CreateOutbox1700000000000] };
