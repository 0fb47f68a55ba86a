import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { startNats } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { natsConfiguration } from '../access/nats-permissions.js';
import { BusConnection } from './connection.js';

const root = mkdtempSync(join(tmpdir(), 'posthorn-connection-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const start = (password: string, port?: number) =>
  startNats({
    dataDirectory: join(root, 'nats'),
    configuration: natsConfiguration(() => JSON.stringify(password)),
    port,
  });

it('comes back after nats-server refused its credentials several times', async () => {
  const first = await start('right');
  const bus = await BusConnection.open({ url: `nats://gateway:right@127.0.0.1:${first.port}`, name: 'test' });
  let refusals = 0;
  void (async () => {
    for await (const { type } of bus.nats.status()) if (type === 'error') refusals += 1;
  })();
  await first.stop();
  const other = await start('other', first.port);
  await eventually(() => Promise.resolve(refusals >= 3), 'three refusals');
  await other.stop();
  const again = await start('right', first.port);
  await eventually(() => Promise.resolve(bus.connected), 'connected again');
  expect(await bus.nats.rtt()).toBeGreaterThanOrEqual(0);
  await bus.close();
  await again.stop();
});
