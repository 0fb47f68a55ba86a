import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { eventually, NatsCluster } from '@posthorn/testing';
import { BusConnection } from '../calls/connection.js';
import { durables, RepairSuite, stream } from '../testing/repair-suite.js';
import { adjustStream, ensureConsumer, ensureStream, identityOf } from './event-stream.js';

// Elections take seconds, and every message is agreed upon by three servers.
const timeoutMs = 120_000;

let suite: RepairSuite<NatsCluster>;
let manager: JetStreamManager;

beforeAll(async () => {
  Logger.overrideLogger(false);
  suite = await RepairSuite.on(NatsCluster.start(), { replicas: 3, retentionHours: 168 });
  manager = await jetstreamManager(suite.connection.nats, { checkAPI: false });
}, timeoutMs);
afterAll(() => suite.stop(), timeoutMs);

const info = (): Promise<StreamInfo> => manager.streams.info(stream);

async function generations(): Promise<{ generation: number; repeats: number }> {
  const [row] = await suite.database.query<{ generation: number; repeats: number }>(
    `SELECT generation::int, (SELECT count(*)::int FROM event_repeats) AS repeats FROM event_streams`,
  );
  return row!;
}

/** A relay that has just started compares the stream at once. */
async function compareAnew(): Promise<void> {
  await suite.stopRelays();
  suite.startRelays();
  await suite.publish(1);
  await suite.published();
}

async function changeLeader(): Promise<void> {
  const { cluster } = await info();
  await suite.connection.nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`);
  await eventually(async () => {
    const now = await info().catch(() => null);
    return now?.cluster?.leader && now.cluster.leader !== cluster!.leader;
  }, 'another leader');
}

describe('a stream with three replicas', () => {
  it(
    'publishes nothing again when its leader changes',
    async () => {
      suite.startRelays();
      suite.startSubscribers();
      await suite.publish(60);
      await suite.expectEachOnce();
      const before = await generations();
      for (let change = 0; change < 3; change += 1) {
        await changeLeader();
        await compareAnew();
      }
      await suite.expectEachOnce();
      expect(await generations()).toEqual(before);
      expect((await info()).state.messages).toBe(suite.reported.length);
    },
    timeoutMs,
  );

  it(
    'has its consumers on as many servers',
    async () => {
      expect((await info()).cluster!.replicas).toHaveLength(2);
      for (const durable of durables) {
        const { cluster } = await suite.findConsumer(durable);
        expect(cluster!.replicas).toHaveLength(2);
      }
    },
    timeoutMs,
  );

  it(
    'goes on while any one of the servers is killed, and publishes nothing again',
    async () => {
      const before = await generations();
      for (const index of [0, 1, 2]) {
        await suite.publish(20);
        await suite.nats.kill(index);
        await suite.publish(20);
        await suite.published();
        for (const durable of durables) await suite.takenBy(durable);
        await suite.nats.startNode(index);
        await suite.nats.formed();
      }
      await compareAnew();
      await suite.expectEachOnce();
      expect(await generations()).toEqual(before);
    },
    timeoutMs,
  );

  it(
    'is another one after its description was changed, and then refilled once',
    async () => {
      const before = await generations();
      await manager.streams.update(stream, { ...(await info()).config, description: 'mine' });
      await compareAnew();
      await suite.expectEachOnce();
      expect(await generations()).toEqual({ ...before, generation: before.generation + 1 });
      await manager.streams.update(stream, { ...(await info()).config, description: '' });
      await compareAnew();
      await suite.expectEachOnce();
      expect(identityOf(await info())).not.toBe('');
      expect(await generations()).toEqual({ ...before, generation: before.generation + 2 });
    },
    timeoutMs,
  );

  it(
    'is refilled after all servers lost their stores',
    async () => {
      await suite.stopSubscribers('spec-two');
      await suite.publish(30);
      await suite.published();
      await Promise.all([0, 1, 2].map((index) => suite.nats.kill(index, { wiped: true })));
      await Promise.all([0, 1, 2].map((index) => suite.nats.startNode(index)));
      await suite.nats.formed();
      suite.startSubscribers();
      await suite.expectEachOnce();
      expect((await info()).cluster!.replicas).toHaveLength(2);
    },
    timeoutMs,
  );
});

describe('settings of a stream', () => {
  const opened: BusConnection[] = [];
  const bus = async (streams: { replicas: number; retentionHours: number }): Promise<BusConnection> => {
    opened.push(await BusConnection.open({ url: suite.nats.url, name: 'settings', streams }));
    return opened.at(-1)!;
  };
  afterAll(() => Promise.all(opened.map((each) => each.close())));

  it(
    'reach one that exists, and its consumers: replicas are added and never taken away',
    async () => {
      const one = await bus({ replicas: 1, retentionHours: 168 });
      await ensureConsumer(one, 'contacts', 'follows');
      const made = await ensureStream(one, 'contacts');
      expect(made.config.num_replicas).toBe(1);
      const three = await bus({ replicas: 3, retentionHours: 24 });
      await adjustStream(three, made);
      const raised = await eventually(async () => {
        const [now, consumer] = await Promise.all([
          ensureStream(one, 'contacts'),
          manager.consumers.info('EVENTS_CONTACTS', 'follows'),
        ]);
        const isWhole = (cluster: StreamInfo['cluster']) =>
          cluster?.replicas?.length === 2 && cluster.replicas.every(({ current }) => current);
        return isWhole(now.cluster) && isWhole(consumer.cluster) && now;
      }, 'both have three replicas');
      expect(raised.config).toMatchObject({ num_replicas: 3, max_age: nanos(24 * 3_600_000) });
      expect(identityOf(raised)).toBe(identityOf(made));
      const again = await adjustStream(one, raised);
      expect(again.config).toMatchObject({ num_replicas: 3, max_age: nanos(168 * 3_600_000) });
    },
    timeoutMs,
  );

  it('are the same for all who create it at once: one of them wins', async () => {
    const both = await Promise.all([1, 1].map((replicas) => bus({ replicas, retentionHours: 168 })));
    // The one that was made has no leader yet.
    const ensured = (each: BusConnection) =>
      eventually(() => ensureStream(each, 'campaigns').catch(() => null), 'the stream is there');
    const made = await Promise.all(both.map(ensured));
    expect(new Set(made.map(identityOf)).size).toBe(1);
    expect(identityOf(made[0]!)).toMatch(/[0-9a-f-]{36}/);
  });
});
