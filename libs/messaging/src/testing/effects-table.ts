import { baselineOf } from '@posthorn/database';
import { messagingTables } from '../messaging-tables.migration.js';

/** Counts every effect. */
const effects = 'CREATE TABLE effects (durable text NOT NULL, email_id uuid NOT NULL)';

export const effectsTable = { entities: [], migrations: [baselineOf('Effects', [messagingTables, effects])] };
