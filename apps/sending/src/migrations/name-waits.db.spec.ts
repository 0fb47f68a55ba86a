import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@posthorn/database';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

const columns = async () =>
  (
    await suite.database.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'deliveries'::regclass AND attname ~ '^(waits_for|has)_' ORDER BY 1`,
    )
  ).map(({ name }) => name);

describe('an installation whose deliveries have the first names of their waits', () => {
  it('gets the present ones', async () => {
    const present = await columns();
    await suite.database.query(
      `ALTER TABLE deliveries RENAME COLUMN waits_for_next_period TO waits_for_allowance; ALTER TABLE deliveries RENAME COLUMN has_turn TO has_slot`,
    );
    await suite.database.query(`DELETE FROM migrations WHERE name = 'NameWaits1765500100000'`);
    await migrate(suite.database);
    expect(present).toEqual(['has_turn', 'waits_for_next_period']);
    expect(await columns()).toEqual(present);
  });
});
