import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NatsAway } from '@posthorn/messaging';
import { freePort, openServiceFixture, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from './data-source.js';
import { startAnalytics } from './service.js';

let fixture: ServiceFixture;
beforeAll(async () => {
  fixture = await openServiceFixture('analytics', { entities, migrations });
});
afterAll(() => fixture.close());

async function environment(): Promise<Record<string, string>> {
  return { ...fixture.environment, ADMIN_PORT: String(await freePort()) };
}
const readyz = async ({ ADMIN_PORT: port }: Record<string, string>) => {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return [answer.status, await answer.text()];
};

describe('a service that starts before NATS', () => {
  it('says what it waits for, and then starts', async () => {
    const settings = await environment();
    const { host } = new URL(settings['NATS_URL']!);
    await fixture.nats.kill();
    const seen: unknown[] = [];
    let now = 0;
    const pause = async (ms: number) => {
      now += ms;
      seen.push(
        await readyz(settings),
        (await fetch(`http://127.0.0.1:${settings['ADMIN_PORT']}/livez`)).status,
      );
      await fixture.nats.start();
    };
    const service = await startAnalytics({
      environment: settings,
      processMetrics: false,
      patience: { forMs: 60_000, now: () => now, pause },
    });
    expect(seen).toEqual([
      [503, `NATS does not answer: ${host} (connect ECONNREFUSED ${host}); waiting for 60 s more\n`],
      200,
    ]);
    expect(await readyz(settings)).toEqual([200, 'ready\n']);
    await service.stop();
  });

  it('ends with one line when nobody answers for a minute, and lets go of what it had opened', async () => {
    const settings = await environment();
    const silent = `127.0.0.1:${await freePort()}`;
    let now = 0;
    const started = startAnalytics({
      environment: { ...settings, NATS_URL: `nats://${silent}` },
      processMetrics: false,
      patience: { forMs: 60_000, now: () => now, pause: async (ms) => void (now += ms) },
    });
    await expect(started).rejects.toThrow(
      new NatsAway(
        `NATS does not answer: ${silent} (connect ECONNREFUSED ${silent}) for 60 s: check NATS_URL`,
      ),
    );
    await expect(readyz(settings)).rejects.toThrow('fetch failed');
  });
});

describe('settings of NATS', () => {
  it.each([
    [
      { NATS_URL: 'nats://a:4222,http://b:4222' },
      /^NATS_URL must be addresses such as .*separated by commas/,
    ],
    [{ NATS_URL: 'nats://one:secret@a,nats://two:secret@b' }, /^NATS_URL names more than one user/],
    [{ ANALYTICS_NATS_URL: 'nats://a,tls://b' }, /^NATS_URL mixes nats:\/\/ and tls:\/\/$/],
    [{ NATS_CA_FILE: '/nowhere/ca.pem' }, /^NATS_CA_FILE=\/nowhere\/ca.pem cannot be read \(ENOENT\)/],
    [{ NATS_CA_FILE: import.meta.filename }, /^NATS_CA_FILE, .* are for addresses that begin with tls:\/\//],
    [
      { NATS_URL: 'tls://a', NATS_CERT_FILE: import.meta.filename },
      /^NATS_CERT_FILE and NATS_KEY_FILE belong/,
    ],
    [
      { NATS_URL: 'tls://a', NATS_CERT_FILE: import.meta.filename, NATS_KEY_FILE: import.meta.filename },
      /^NATS_CA_FILE, NATS_CERT_FILE or NATS_KEY_FILE is not what it should be: /,
    ],
    [{ NATS_REPLICAS: '2' }, /^NATS_REPLICAS=2 must be one of 1, 3, 5/],
    [{ NATS_RETENTION_HOURS: '169' }, /^NATS_RETENTION_HOURS=169 must be a number from 1 to 168/],
    [{ NATS_REPLICAS: '3' }, /^NATS_REPLICAS=3 needs a cluster, and 127.0.0.1:\d+ is none$/],
  ])('are refused in one line: %j', async (changed, line) => {
    const started = startAnalytics({
      environment: { ...(await environment()), ...changed },
      processMetrics: false,
    });
    const error = await started.catch((reason: Error) => reason);
    expect((error as Error).message).toMatch(line);
    expect((error as Error).message).not.toMatch(/\n|secret/);
  });
});
