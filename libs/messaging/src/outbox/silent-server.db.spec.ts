import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '@posthorn/testing';
import { RepairSuite } from '../testing/repair-suite.js';

const timeoutMs = 90_000;

let suite: RepairSuite;
beforeAll(async () => {
  Logger.overrideLogger(false);
  suite = await RepairSuite.start();
}, timeoutMs);
afterAll(() => {
  process.kill(suite.nats.pid, 'SIGCONT');
  return suite.stop();
}, timeoutMs);

it(
  'stops while NATS hangs, before the library gives it up, and keeps what was not acknowledged',
  async () => {
    const seen: string[] = [];
    void (async () => {
      for await (const { type } of suite.connection.nats.status()) seen.push(type);
    })();
    suite.startRelays();
    suite.startSubscribers();
    await suite.publish(3);
    await suite.expectEachOnce();
    process.kill(suite.nats.pid, 'SIGSTOP');
    await suite.publish(10);
    await eventually(() => suite.isPublishing(), 'a relay waits for acknowledgements');
    await Promise.all([suite.stopRelays(), suite.stopSubscribers()]);
    await suite.disconnect();
    expect(await suite.waiting()).toBe(10);
    expect(seen).not.toContain('staleConnection');
  },
  timeoutMs,
);
