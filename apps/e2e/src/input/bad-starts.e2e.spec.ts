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
    expect(posthorn.output).not.toMatch(/\n\s+at .*:\d+:\d+|configuration/);
    return posthorn.output;
  };
  /** Refused before anything is started, in one line. */
  const refusedInOneLine = async (environment: Record<string, string>): Promise<string> => {
    const output = (await refused(environment)).trimEnd();
    expect(output.split('\n')).toHaveLength(1);
    return output;
  };

  it('reports that another process uses the same data', async () => {
    await launch({});
    expect(await refused({})).toMatch(/already|runs|running/i);
  });

  it.each(['PORT', 'INBOX_PORT'])(
    'reports that the port is in use, and what to set: %s',
    async (variable) => {
      const taken = createServer().listen(0, '127.0.0.1');
      await new Promise((listening) => taken.once('listening', listening));
      const { port } = taken.address() as AddressInfo;
      expect(await refusedInOneLine({ [variable]: String(port) })).toBe(
        `port ${port} is in use: stop what listens there (ss -ltnp 'sport = :${port}'), or set ${variable} to another port`,
      );
      taken.close();
    },
  );

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
    ['PORT', 'soon', /^PORT=soon must be a number from 0 to 65535: port of the API/],
    ['SMTP_URL', 'not a url', /^SMTP_URL must be a URL: /],
  ])('reports in one line what is wrong with %s=%s', async (name, value, line) => {
    expect(await refusedInOneLine({ [name]: value })).toMatch(line);
  });

  it.each([
    ['LEASE_SECONDS', '0', /LEASE_SECONDS=0 must be a number from 2 to 600/],
    ['RATE_LIMIT_ENABLED', 'maybe', /RATE_LIMIT_ENABLED=maybe must be true or false/],
    ['POSTHORN_SECRET_KEY', 'weak', /POSTHORN_SECRET_KEY contains a key of 4 characters.*openssl rand/],
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
