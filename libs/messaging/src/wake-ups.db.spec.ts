import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually, startTestNats, type TestNats } from '@posthorn/testing';
import { BusConnection } from './calls/connection.js';
import { WakeUps } from './wake-ups.js';

let nats: TestNats;
beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats.stop());

const open = async (): Promise<{ connection: BusConnection; wakeUps: WakeUps }> => {
  const connection = await BusConnection.open({ url: nats.url, name: 'spec' });
  return { connection, wakeUps: new WakeUps(connection, 'sending') };
};

it('a wake-up reaches the other processes of its service', async () => {
  const [here, there] = [await open(), await open()];
  let woken = 0;
  there.wakeUps.on('work', () => (woken += 1));
  await there.connection.nats.flush();
  here.wakeUps.send('work');
  await eventually(async () => woken === 1, 'the other one is woken');
  await Promise.all([here.connection.close(), there.connection.close()]);
});

it('a wake-up that is sent while the connection closes is dropped without an error', async () => {
  const { connection, wakeUps } = await open();
  let closed = false;
  const closing = connection.close().then(() => (closed = true));
  while (!closed) {
    wakeUps.send('work');
    expect(() => wakeUps.flush()).not.toThrow();
    await nextTurn();
  }
  await closing;
});
