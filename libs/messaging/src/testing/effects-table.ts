import type { QueryRunner } from '@posthorn/database';
import { messagingTables } from '../messaging-tables.migration.js';

/** The messaging's tables and one for effects, which counts every one of them. */
class CreateEffects1763700000000 {
  up = async (runner: QueryRunner) => {
    await runner.query(messagingTables);
    await runner.query('CREATE TABLE effects (durable text NOT NULL, email_id uuid NOT NULL)');
  };
  down = () => Promise.reject(new Error('never undone'));
}

export const effectsTable = { entities: [], migrations: [CreateEffects1763700000000] };
