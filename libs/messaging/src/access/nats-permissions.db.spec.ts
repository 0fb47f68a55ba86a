import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';
import {
  busAccess,
  busUsers,
  eventsOf,
  requestsOf,
  serviceNames,
  streamOf,
  type BusUser,
} from '@posthorn/contracts';
import { startNats, type NatsServer } from '@posthorn/dev';
import { BusConnection } from '../calls/connection.js';
import { adjustStream, ensureConsumer, ensureStream } from '../events/event-stream.js';
import { natsConfiguration } from './nats-permissions.js';

const root = mkdtempSync(join(tmpdir(), 'posthorn-nats-users-'));
// Like what openssl rand -hex makes, which may look like a number.
const passwordOf = (user: BusUser) => `12345e67${Buffer.from(user).toString('hex')}`;
let server: NatsServer;
const buses = new Map<BusUser, BusConnection>();
const connectionOf = (user: BusUser): NatsConnection => buses.get(user)!.nats;
const refusals = new Map<BusUser, string[]>();

const urlOf = (user: string, password: string) => `nats://${user}:${password}@127.0.0.1:${server.port}`;
beforeAll(async () => {
  const configuration = natsConfiguration((user) => JSON.stringify(passwordOf(user)));
  server = await startNats({ dataDirectory: join(root, 'nats'), configuration });
  for (const user of busUsers) {
    const bus = await BusConnection.open({ url: urlOf(user, passwordOf(user)), name: user });
    buses.set(user, bus);
    void collectRefusals(user, bus.nats);
  }
});
afterAll(async () => {
  await Promise.all([...buses.values()].map(({ nats }) => nats.close()));
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

/** The error of nats-server for a publish; null where it is allowed. */
async function refusedPublish(user: BusUser, subject: string): Promise<string | null> {
  const nats = connectionOf(user);
  nats.publish(subject, '[]');
  // The refusal arrives before the answer to the ping.
  await nats.flush();
  await new Promise(setImmediate);
  return (
    refusals
      .get(user)!
      .splice(0)
      .find((message) => message.includes(`"${subject}"`)) ?? null
  );
}

async function collectRefusals(user: BusUser, nats: NatsConnection): Promise<void> {
  const messages: string[] = [];
  refusals.set(user, messages);
  for await (const status of nats.status()) if (status.type === 'error') messages.push(status.error.message);
}

async function refusedSubscribe(user: BusUser, subject: string): Promise<string | null> {
  const nats = connectionOf(user);
  return new Promise((resolve) => {
    const subscription = nats.subscribe(subject, {
      callback: (error) => resolve(error ? error.message : null),
    });
    void nats.flush().then(() =>
      setImmediate(() => {
        subscription.unsubscribe();
        resolve(null);
      }),
    );
  });
}

const denied = /permissions violation/i;
const calledBy = (user: BusUser) => new Set(busAccess[user].calls.map(({ subject }) => subject));

describe('the users of nats-server', () => {
  it('are the only ones that can connect', async () => {
    for (const url of [{}, { user: 'sending', pass: 'wrong' }, { user: 'nobody', pass: 'x' }])
      await expect(
        connect({ servers: `127.0.0.1:${server.port}`, ...url, reconnect: false }),
      ).rejects.toThrow(/authorization/i);
  });

  it.each([...busUsers])('%s publishes requests that it is allowed to, and no others', async (user) => {
    const allowed = calledBy(user);
    for (const owner of serviceNames)
      for (const { subject } of requestsOf(owner)) {
        const refusal = await refusedPublish(user, `call.${subject}`);
        if (allowed.has(subject)) expect([subject, refusal]).toEqual([subject, null]);
        else expect([subject, refusal]).toEqual([subject, expect.stringMatching(denied)]);
      }
  });

  it.each([...busUsers])('%s publishes no events and no wake-ups of others', async (user) => {
    for (const owner of serviceNames.filter((each) => each !== user))
      for (const subject of [`events.${owner}.forged`, `wake.${owner}.work`])
        expect([subject, await refusedPublish(user, subject)]).toEqual([
          subject,
          expect.stringMatching(denied),
        ]);
  });

  it.each([...busUsers])('%s reads no requests, events, replies or wake-ups of others', async (user) => {
    const others = busUsers.filter((each) => each !== user);
    const subjects = [
      '>',
      '_INBOX.>',
      'events.>',
      'call.>',
      '$JS.>',
      ...others.map((each) => `_INBOX.${each}.>`),
    ];
    for (const owner of serviceNames.filter((each) => each !== user))
      subjects.push(`call.${owner}.>`, `wake.${owner}.*`);
    for (const subject of subjects)
      expect([subject, await refusedSubscribe(user, subject)]).toEqual([
        subject,
        expect.stringMatching(denied),
      ]);
  });

  it.each([...serviceNames])('%s makes its stream and its consumers', async (service) => {
    const bus = buses.get(service)!;
    const stream = await ensureStream(bus, service);
    expect(stream.config.name).toBe(streamOf(service));
    const older = { ...stream, config: { ...stream.config, description: '', max_age: nanos(60_000_000) } };
    expect((await adjustStream(bus, older)).config.max_age).toBe(nanos(7 * 86_400_000));
    for (const owner of new Set(busAccess[service].receives.map(({ event }) => event.owner))) {
      expect((await ensureConsumer(bus, owner, service)).config.filter_subject).toBe(eventsOf(owner));
      expect((await ensureConsumer(bus, owner, service, 7_000)).config.ack_wait).toBe(7_000_000_000);
    }
  });

  it.each([...busUsers])('%s cannot delete streams, purge them, or use consumers of others', async (user) => {
    const requests = serviceNames.flatMap((owner) => {
      const stream = streamOf(owner);
      const whole = ['STREAM.DELETE', 'STREAM.PURGE'].map((verb) => `$JS.API.${verb}.${stream}`);
      if (owner === user) return whole;
      const other = serviceNames.find((each) => each !== user && each !== owner)!;
      const consumers = ['INFO', 'DELETE', 'MSG.NEXT'].map(
        (verb) => `$JS.API.CONSUMER.${verb}.${stream}.${other}`,
      );
      return [
        ...whole,
        ...consumers,
        `$JS.API.STREAM.UPDATE.${stream}`,
        `$JS.API.STREAM.MSG.DELETE.${stream}`,
        `$JS.ACK.${stream}.${other}.1.1.1.1.1`,
      ];
    });
    for (const subject of requests)
      expect([subject, await refusedPublish(user, subject)]).toEqual([
        subject,
        expect.stringMatching(denied),
      ]);
  });
});
