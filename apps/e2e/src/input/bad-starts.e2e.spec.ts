import { createServer, type AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeDataDirectory, mode, RunningPosthorn } from '../testing/running-posthorn.js';

describe('a failing start', () => {
  let directory = makeDataDirectory();
  let running: RunningPosthorn[] = [];

  afterEach(async () => {
    for (const posthorn of running) await posthorn.stop();
    running = [];
    directory.remove();
    directory = makeDataDirectory();
  });

  const launch = async (environment: Record<string, string>) => {
    const posthorn = await RunningPosthorn.launch(directory.path, environment);
    running.push(posthorn);
    return posthorn;
  };

  /** Exits on its own with a helpful message and without a stack. */
  const refused = async (environment: Record<string, string>): Promise<string> => {
    const posthorn = await launch(environment);
    expect(await posthorn.exitCode()).toBe(1);
    expect(posthorn.output).not.toMatch(/\n\s+at .*:\d+:\d+/);
    return posthorn.output;
  };

  it('reports that another process uses the same data', async () => {
    await launch({});
    expect(await refused({})).toMatch(/already|runs|running/i);
  });

  it('reports that the port is in use, and what to set', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => taken.once('listening', listening));
    const { port } = taken.address() as AddressInfo;
    expect(await refused({ PORT: String(port) })).toMatch(new RegExp(`port ${port} is in use.*PORT`));
    taken.close();
  });

  it('reports that the data directory is not writable', async () => {
    mkdirSync(dirname(directory.path), { recursive: true });
    writeFileSync(directory.path, 'a file');
    expect(await refused({})).toMatch(/data directory .* is not writable.*POSTHORN_DATA_DIR/);
  });

  it('reports that the database directory is broken', async () => {
    const broken = `${directory.path}/${mode === 'separate' ? 'postgres-contacts' : 'postgres'}`;
    mkdirSync(broken, { recursive: true });
    writeFileSync(`${broken}/PG_VERSION`, '9.1\n');
    expect(await refused({})).toContain(`The PostgreSQL data directory ${broken} cannot be used`);
  });

  it('reports that NATS is missing', async () => {
    expect(await refused({ NATS_SERVER_BIN: '/nowhere/nats-server' })).toMatch(/NATS_SERVER_BIN/);
  });

  it.each([
    ['PORT', 'soon', /PORT=soon must be a number/],
    ['SMTP_URL', 'not a url', /SMTP_URL must be a URL/],
    ['RETENTION_CONTENTS_DAYS', '30', /RETENTION_CONTENTS_DAYS=30 must be a number from 33 to 3650/],
    ['LEASE_SECONDS', '0', /LEASE_SECONDS=0 must be a number from 2 to 600/],
    ['RATE_LIMIT_ENABLED', 'maybe', /RATE_LIMIT_ENABLED=maybe must be true or false/],
    ['POSTHORN_SECRET_KEY', 'weak', /POSTHORN_SECRET_KEY contains a key of 4 characters.*openssl rand/],
    ['POSTHORN_SECRET_KEY', `${'k'.repeat(32)},`, /POSTHORN_SECRET_KEY contains an empty key.*openssl rand/],
  ])('reports what is wrong with %s=%s', async (name, value, texts) => {
    expect(await refused({ [name]: value })).toMatch(texts);
  });

  it('reports that the database is not reachable', async () => {
    const variable = mode === 'separate' ? 'SENDING_DATABASE_URL' : 'DATABASE_URL';
    expect(await refused({ [variable]: 'postgres://nobody@127.0.0.1:1/postgres' })).toMatch(
      /is not reachable .*check DATABASE_URL/,
    );
  });
});
