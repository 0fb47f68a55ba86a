import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailEvents } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { BusConnection } from '@posthorn/messaging';
import { eventually, EventPublisher, startTestNats, type TestNats } from '@posthorn/testing';

const timeoutMs = 90_000;
const program = resolve('docs/guides/subscriber.mjs');

describe('the subscriber of the guide', () => {
  let nats: TestNats;
  let connection: BusConnection;
  let source: EventPublisher;
  let folder: string;
  let child: ChildProcess;
  const published: string[] = [];

  beforeAll(async () => {
    nats = await startTestNats();
    connection = await BusConnection.open({ url: nats.url, name: 'guide' });
    source = await EventPublisher.start(connection);
    folder = await mkdtemp(join(tmpdir(), 'posthorn-guide-'));
  }, timeoutMs);
  afterAll(async () => {
    await end('SIGTERM');
    await source.stop();
    await connection.close();
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  }, timeoutMs);

  const file = () => join(folder, 'delivered.jsonl');
  const start = () => {
    child = spawn(process.execPath, [program, file()], {
      env: { ...process.env, NATS_URL: nats.url },
      stdio: 'ignore',
    });
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit');
    child.kill(signal);
    return (await ended) as [number | null, string | null];
  };
  const publish = async (events: number) => {
    for (let count = 0; count < events; count += 1) {
      const emailId = newId();
      published.push(emailId);
      await source.publish(emailEvents.delivered, newId(), [
        { emailId, to: 'a@x.test', at: new Date(), sourceType: 'TRANSACTIONAL' },
      ]);
    }
  };
  const written = (): string[] => {
    const lines = existsSync(file()) ? readFileSync(file(), 'utf8').split('\n').slice(0, -1) : [];
    return lines
      .flatMap((line) =>
        (JSON.parse(line) as { delivered: { emailId: string }[] }).delivered.map(({ emailId }) => emailId),
      )
      .sort();
  };
  const expectEachOnce = async () => {
    await eventually(async () => written().length >= published.length, 'everything is written down', 60_000);
    await source.taken('example-delivered');
    expect(written()).toEqual([...published].sort());
  };

  it(
    'is the one that the guide shows',
    () => {
      expect(readFileSync(resolve('docs/guides/subscribing.md'), 'utf8')).toContain(
        readFileSync(program, 'utf8'),
      );
    },
    timeoutMs,
  );

  it(
    'imports nothing of Posthorn',
    () => {
      const imported = [...readFileSync(program, 'utf8').matchAll(/from '([^']+)'/g)].map(
        ([, name]) => name!,
      );
      expect(imported.filter((name) => !name.startsWith('node:')).sort()).toEqual([
        '@nats-io/jetstream',
        '@nats-io/transport-node',
      ]);
    },
    timeoutMs,
  );

  it(
    'may start before there is a stream, and is killed in the middle',
    async () => {
      start();
      await publish(150);
      await eventually(async () => written().length > 0, 'it has begun');
      await end('SIGKILL');
      await appendFile(file(), '{"event":"cut sho');
      await publish(50);
      start();
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'hears everything once though NATS loses its store',
    async () => {
      await publish(50);
      await nats.kill({ wiped: true });
      await publish(50);
      await nats.start();
      await publish(50);
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'takes nothing twice when everything is told again, and members that it does not know',
    async () => {
      await source.repeatAll();
      const more = {
        emailId: newId(),
        to: 'a@x.test',
        at: new Date(),
        sourceType: 'TRANSACTIONAL' as const,
        later: 'added',
      };
      published.push(more.emailId);
      await source.publish(emailEvents.delivered, newId(), [more]);
      await expectEachOnce();
    },
    timeoutMs,
  );

  it(
    'ends when it is asked to',
    async () => {
      expect(await end('SIGTERM')).toEqual([0, null]);
      start();
      await publish(1);
      await expectEachOnce();
    },
    timeoutMs,
  );
});
