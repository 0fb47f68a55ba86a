import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { freePort, startTestNats, testCertificate, testKey } from '@posthorn/testing';
import { BusConnection } from './connection.js';
import type { Patience } from './first-connection.js';

const root = mkdtempSync(join(tmpdir(), 'posthorn-first-connection-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};
const caFile = file('ca.pem', testCertificate);
const keyFile = file('key.pem', testKey);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Time that passes only while somebody waits. */
function waiting(forMs: number, meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  let now = 0;
  const lines: string[] = [];
  const patience: Patience = {
    forMs,
    now: () => now,
    report: (line) => lines.push(line),
    pause: async (ms) => {
      now += ms;
      await meanwhile();
    },
  };
  return { patience, lines };
}

describe('the first connection', () => {
  it('takes whichever server answers', async () => {
    const nats = await startTestNats();
    const silent = `nats://127.0.0.1:${await freePort()}`;
    const { patience, lines } = waiting(60_000);
    const bus = await BusConnection.open({ url: `${silent},${nats.url}`, name: 'first', patience });
    expect(bus.connected).toBe(true);
    expect(lines).toEqual([]);
    await bus.close();
    await nats.stop();
  });

  it('waits for servers that do not answer yet, and says which', async () => {
    const [one, two] = [await freePort(), await freePort()];
    const nats = await startTestNats();
    const port = Number(new URL(nats.url).port);
    await nats.kill();
    let pauses = 0;
    const { patience, lines } = waiting(60_000, async () => {
      if (++pauses === 15) await nats.start();
    });
    const url = [port, one, two].map((each) => `nats://127.0.0.1:${each}`).join(',');
    const bus = await BusConnection.open({ url, name: 'first', patience });
    const silent = [port, one, two].map((each) => `127.0.0.1:${each} \\(connect ECONNREFUSED [^)]*\\)`);
    const line = new RegExp(`^NATS does not answer: ${silent.join(', ')}; waiting for \\d+ s more$`);
    expect(lines).toEqual([
      expect.stringMatching(line),
      expect.stringMatching(/for 50 s more$/),
      'NATS answers',
    ]);
    await bus.close();
    await nats.stop();
  });

  it('gives up after its time, in one line', async () => {
    const port = await freePort();
    const { patience } = waiting(60_000);
    const url = `nats://sending:hidden@127.0.0.1:${port}`;
    const failed = BusConnection.open({ url, name: 'first', patience });
    await expect(failed).rejects.toThrow(
      `NATS does not answer: 127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port}) for 60 s: check NATS_URL`,
    );
  });

  it('says why a server that answers refuses', async () => {
    const nats = await startTestNats('authorization { user: sending, password: right }');
    const url = nats.url.replace('//', '//sending:wrong@');
    await expect(BusConnection.open({ url, name: 'first' })).rejects.toThrow(
      /\(.*Authorization Violation.*\)/i,
    );
    await nats.stop();
  });

  it('refuses more replicas than a single server can have', async () => {
    const nats = await startTestNats();
    const streams = { replicas: 3, retentionHours: 168 };
    await expect(BusConnection.open({ url: nats.url, name: 'first', streams })).rejects.toThrow(
      /^NATS_REPLICAS=3 needs a cluster, and 127.0.0.1:\d+ is none$/,
    );
    await nats.stop();
  });
});

describe('a connection with TLS', () => {
  const tls = `tls { cert_file: "${caFile}", key_file: "${keyFile}", ca_file: "${caFile}", verify: true }`;
  const certificates = { caFile, certFile: caFile, keyFile };

  it('needs an authority that the server is trusted by, and shows its certificate', async () => {
    const nats = await startTestNats(tls);
    const url = nats.url.replace('nats:', 'tls:');
    const bus = await BusConnection.open({ url, name: 'tls', certificates });
    expect(await bus.nats.rtt()).toBeGreaterThanOrEqual(0);
    await bus.close();
    await expect(BusConnection.open({ url, name: 'tls' })).rejects.toThrow(/self-signed certificate/);
    await nats.stop();
  });

  it('is not made with a server that has none', async () => {
    const nats = await startTestNats();
    const url = nats.url.replace('nats:', 'tls:');
    await expect(BusConnection.open({ url, name: 'tls', certificates })).rejects.toThrow(/tls/);
    await nats.stop();
  });
});
