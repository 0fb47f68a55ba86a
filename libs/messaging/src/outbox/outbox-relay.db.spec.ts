import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { emailEvents, maxEventBytes } from '@posthorn/contracts';
import { DatabaseClock, newId, openDatabase, type Database } from '@posthorn/database';
import {
  cloneDatabase,
  eventually,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import { BusConnection } from '../calls/connection.js';
import { OutboxRelay } from './outbox-relay.js';
import { Outbox } from './outbox.repository.js';
import { OutboxRelayRepository, type SendFailure } from './outbox-relay.repository.js';
import { asOtherReplica } from '../testing/other-replica.js';
import { effectsTable } from '../testing/effects-table.js';

let nats: TestNats;
let clone: TestDatabase;
let database: Database;
let connection: BusConnection;
let outbox: Outbox;

beforeAll(async () => {
  Logger.overrideLogger(false);
  [nats, clone] = await Promise.all([startTestNats(), cloneDatabase('relay', effectsTable)]);
  database = await openDatabase({
    url: clone.url,
    name: 'relay',
    poolSize: 4,
    connectTimeoutMs: 30_000,
    ...effectsTable,
  });
  connection = await BusConnection.open({ url: nats.url, name: 'relay' });
  outbox = new Outbox(database);
});
afterAll(async () => {
  await connection.close();
  await database.close();
  await Promise.all([clone.drop(), nats.stop()]);
});
beforeEach(() => database.query('DELETE FROM outbox'));

const failed = (reason: string | null) => ({
  emailId: newId(),
  to: 'ada@example.org',
  at: new Date(),
  sourceType: 'TRANSACTIONAL' as const,
  failureKind: 'rendering' as const,
  reason,
});
/** As a release before would have written it. */
async function writeEvent(reason: string): Promise<string> {
  const id = newId();
  await database.query(`INSERT INTO outbox (id, project_id, event_name, items) VALUES ($1, $2, $3, $4)`, [
    ...[id, newId(), emailEvents.failed.name],
    JSON.stringify([failed(reason)]),
  ]);
  return id;
}
async function whileRelaying(look: () => Promise<void>, over = connection): Promise<void> {
  const relayRepository = new OutboxRelayRepository(database, 'sending');
  const relay = new OutboxRelay({
    service: 'sending',
    database,
    relayRepository,
    connection: over,
    clock: new DatabaseClock(database),
  });
  relay.start();
  try {
    await look();
  } finally {
    await relay.stop();
  }
}
const waiting = async () => (await database.query('SELECT id FROM outbox WHERE published_at IS NULL')).length;

describe('an event that NATS can never accept', () => {
  it('is quarantined with its reason, and the others are published', async () => {
    const large = await writeEvent('x'.repeat(1_200_000));
    await Promise.all(Array.from({ length: 300 }, () => writeEvent('usual')));
    await whileRelaying(async () => {
      await eventually(async () => (await waiting()) === 1, 'all but the large one are published');
    });
    const [row] = await database.query<{ id: string; quarantined: boolean; quarantine_reason: string }>(
      'SELECT id, quarantined_at IS NOT NULL AS quarantined, quarantine_reason FROM outbox WHERE published_at IS NULL',
    );
    expect(row).toEqual({
      id: large,
      quarantined: true,
      quarantine_reason: expect.stringMatching(/max_payload/),
    });
    expect(await outbox.quarantined()).toBe(1);
    expect([await outbox.age(), await outbox.unpublished()]).toEqual([0, 0]);
  });
});

describe('an event that is not accepted', () => {
  const round = (failures: (id: string) => SendFailure | null) =>
    new OutboxRelayRepository(database, 'sending').sendFresh(10, async (events) => {
      const found = events.map(({ id }) => failures(id)).filter((failure) => failure !== null);
      const lost = new Set(found.map(({ id }) => id));
      return {
        acknowledged: events.map(({ id }) => id).filter((id) => !lost.has(id)),
        sequences: [],
        failures: found,
      };
    });
  const refusing = (refused: string, kind: SendFailure['kind']) => (id: string) =>
    id === refused ? { id, error: new Error('no'), kind } : null;
  const rounds = async (
    id: string,
    kind: SendFailure['kind'],
    { neighbour: extra }: { neighbour: boolean },
  ) => {
    for (let index = 0; index < 25; index += 1) {
      if (extra) await writeEvent('beside');
      await round(refusing(id, kind));
    }
    return outbox.quarantined();
  };
  const old = (id: string) =>
    database.query(`UPDATE outbox SET created_at = now() - interval '1 hour' WHERE id = $1`, [id]);

  it('waits while NATS is away, and delays no other event', async () => {
    const id = await writeEvent('away');
    await old(id);
    expect(await rounds(id, 'away', { neighbour: true })).toBe(0);
    expect(await waiting()).toBe(1);
    expect(await round(() => null)).toEqual({ count: 1, quarantined: [], failures: [] });
    expect(await waiting()).toBe(0);
  });

  it('is quarantined after it was refused for long while others were accepted, and not before', async () => {
    const id = await writeEvent('refused');
    expect(await rounds(id, 'refused', { neighbour: true })).toBe(0);
    await old(id);
    expect(await rounds(id, 'refused', { neighbour: true })).toBe(1);
  });

  it('is not quarantined where all events are refused', async () => {
    const id = await writeEvent('refused');
    await old(id);
    expect(await rounds(id, 'refused', { neighbour: false })).toBe(0);
  });

  it('stays in the outbox without NATS, and is published when NATS is back', async () => {
    await whileRelaying(async () => {
      await nats.kill();
      await eventually(async () => !connection.connected, 'the break is noticed');
      await writeEvent('meanwhile');
      await nats.start();
      await eventually(async () => (await waiting()) === 0, 'it is published');
    });
    expect(await outbox.quarantined()).toBe(0);
  });
});

describe('a stream whose replicas answer in turn', () => {
  const state = async () => {
    const [row] = await database.query(
      'SELECT generation, (SELECT count(*) FROM event_repeats) AS repeats FROM event_streams',
    );
    return row;
  };
  const relayed = (over: BusConnection) =>
    whileRelaying(async () => {
      await writeEvent('usual');
      await eventually(async () => (await waiting()) === 0, 'it is published');
    }, over);

  it('is the same one, although each has its own time of creation', async () => {
    await relayed(connection);
    const before = await state();
    await relayed(asOtherReplica(connection, { created: '2020-01-01T00:00:00Z' }));
    expect(await state()).toEqual(before);
  });

  it('is not taken for cut off by the answer of one that does not know the end yet', async () => {
    await relayed(connection);
    const before = await state();
    const behind = { once: true, lastSequence: 0 };
    await relayed(asOtherReplica(connection, behind));
    expect(await state()).toEqual(before);
  });
});

describe('an event that is committed while the relay is at rest', () => {
  it('is published at once', async () => {
    await whileRelaying(async () => {
      let quick = 0;
      for (let index = 0; index < 12 && quick < 4; index += 1) {
        const began = performance.now();
        await outbox.publish(emailEvents.failed, newId(), [failed('usual')]);
        await eventually(async () => (await waiting()) === 0, 'it is published');
        if (performance.now() - began < 700) quick += 1;
      }
      // By its timer alone the relay would look once a second or less often.
      expect(quick).toBe(4);
    });
  });
});

describe('more items than one event may carry', () => {
  it('are split into several events by their size, each item in one of them', async () => {
    const items = Array.from({ length: 300 }, (_, index) => failed('\u0001'.repeat(1_900) + index));
    await outbox.publish(emailEvents.failed, newId(), items);
    const rows = await database.query<{ items: { emailId: string }[] }>(
      'SELECT items FROM outbox ORDER BY id',
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows)
      expect(Buffer.byteLength(JSON.stringify(row.items))).toBeLessThanOrEqual(maxEventBytes + 1_000);
    expect(rows.flatMap((row) => row.items.map(({ emailId }) => emailId))).toEqual(
      items.map(({ emailId }) => emailId),
    );
  });
});
