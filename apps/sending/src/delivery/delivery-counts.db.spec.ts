import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emails } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import pg from 'pg';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { DeliveryCounts } from './delivery-counts.read-model.js';

let suite: SendingSuite;
let counts: DeliveryCounts;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
  counts = new DeliveryCounts(suite.database);
});
afterAll(() => suite.stop());
beforeEach(() => suite.database.query(`DELETE FROM deliveries`));

const queue = (count: number, lane: 0 | 1, due: string) =>
  suite.database.query(
    `INSERT INTO deliveries (project_id, email_id, recipient, lane, state, due_at, expires_at, bytes)
     SELECT $1, gen_random_uuid(), 'a@sink.test', $2, 'QUEUED', now() + $3::interval, now() + interval '1 day', 1000 FROM generate_series(1, $4)`,
    [newId(), lane, due, count],
  );
const passTenSeconds = () =>
  suite.database.query(`UPDATE due_counts SET count_again_at = count_again_at - interval '10 seconds'`);
const countedAgain = async () => {
  await suite.database.query(`UPDATE due_counts SET count_again_at = now()`);
  return counts.due();
};

describe('the number of messages that are due', () => {
  it('is exact far above ten thousand, over all projects and lanes, without what is scheduled', async () => {
    await queue(12_345, 0, '-1 second');
    await queue(700, 1, '-1 hour');
    await queue(300, 0, '1 hour');
    expect(await countedAgain()).toBe(13_045);
  });

  it('is counted by one for all, and read by the others for ten seconds', async () => {
    await queue(5, 0, '-1 second');
    expect(await countedAgain()).toBe(5);
    await queue(5, 0, '-1 second');
    expect(await Promise.all([counts.due(), counts.due()])).toEqual([5, 5]);
    await passTenSeconds();
    expect(await counts.due()).toBe(10);
  });

  it('waits for nobody who counts', async () => {
    await queue(3, 0, '-1 second');
    await countedAgain();
    await queue(4, 0, '-1 second');
    await passTenSeconds();
    const other = new pg.Client({ connectionString: suite.environment['SENDING_DATABASE_URL'] });
    await other.connect();
    await other.query(`BEGIN; SELECT FROM due_counts FOR UPDATE`);
    expect(await counts.due()).toBe(3);
    await other.query(`ROLLBACK`);
    await other.end();
    expect(await counts.due()).toBe(7);
  });
});

describe('the oldest message in doubt', () => {
  it('is as old as what is known of it last, and before the first outcome as the message', async () => {
    const { caller, projectId, domain } = await suite.buildProject();
    const id = newId();
    await suite.bus.call(emails.accept, caller, {
      from: { email: `hello@${domain}` },
      subject: 'S',
      body: 'B',
      recipients: [{ id, to: { email: 'a@sink.test' } }],
    });
    expect(await counts.oldestAmbiguousSeconds()).toBe(0);
    const inDoubt = `UPDATE deliveries SET state = 'AMBIGUOUS' WHERE project_id = $1 AND email_id = $2`;
    await suite.database.query(inDoubt, [projectId, id]);
    await suite.database.query(
      `UPDATE emails SET created_at = now() - interval '40 minutes' WHERE project_id = $1 AND id = $2`,
      [projectId, id],
    );
    expect(await counts.oldestAmbiguousSeconds()).toBeGreaterThanOrEqual(2_400);
  });
});
