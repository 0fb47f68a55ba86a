import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chooseQuietPort,
  startNats,
  startPostgres,
  type NatsServer,
  type PostgresServer,
} from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { assembleImage, type ImageTree } from '../testing/image-tree.js';
import { environmentOf, readCompose } from './compose.js';
import { readTree, serviceNames } from './tree.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const compose = readCompose(readFileSync(join(root, 'docker-compose.yml'), 'utf8'));

/** No docker: the files of the image, started by its own command with the environment of docker-compose.yml. */
describe('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-image-servers-'));
  let postgres: PostgresServer;
  let nats: NatsServer;
  let image: ImageTree;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    // As Compose gives them to nats-server, whose configuration names them.
    const environment = environmentOf(compose.services['nats']!);
    const configuration = readFileSync(join(root, 'deploy/nats.conf'), 'utf8');
    [postgres, nats] = await Promise.all([
      startPostgres({ dataDirectory: join(folder, 'postgres') }),
      startNats({ dataDirectory: join(folder, 'nats'), configuration, environment }),
    ]);
    image = assembleImage(root, await readTree(root));
    const { child, ended } = run('provision', {
      ...composed('provision'),
      DATABASE_URL: postgres.url,
    });
    expect([await ended, child.exitCode]).toEqual([{ code: 0, said: '' }, 0]);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([postgres.stop(), nats.stop()]);
    image.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What Compose would give, but for where the servers are. */
  const composed = (service: string): Record<string, string> => ({
    ...image.environment,
    ...Object.fromEntries(
      Object.entries(environmentOf(compose.services[service]!)).map(([name, value]) => [
        name,
        value
          .replace('@postgres:5432', `@127.0.0.1:${postgres.port}`)
          .replace('@nats:4222', `@127.0.0.1:${nats.port}`),
      ]),
    ),
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  });
  const environmentFor = async (service: string): Promise<Record<string, string>> => ({
    ...composed(service),
    PORT: String(await chooseQuietPort()),
    ADMIN_PORT: String(await chooseQuietPort()),
  });
  const run = (service: string, env: Record<string, string>) => {
    const [program, ...texts] = image.entrypoint;
    const child = spawn(join(image.root, program!), [...texts, service], {
      cwd: image.workingDirectory,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let text = '';
    child.stderr!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return {
      child,
      ended: once(child, 'exit').then(([code]) => ({ code: code as number | null, said: text })),
    };
  };
  const isReady = (env: Record<string, string>) =>
    promisify(execFile)('node', [join(image.root, 'usr/local/bin/is-ready.mjs')], { env }).then(
      () => true,
      () => false,
    );

  it('holds every service, and nothing of the tests or the development servers', () => {
    const has = (path: string) => existsSync(join(image.workingDirectory, path));
    expect(serviceNames(root).filter((name) => !has(`dist/apps/${name}/src/main.js`))).toEqual([]);
    const unwanted = [
      'dist/apps/all-in-one',
      'dist/apps/e2e',
      'dist/libs/testing',
      'dist/tools/dev',
      'apps',
      'node_modules/jest',
      'node_modules/@swc',
    ];
    expect(unwanted.filter(has)).toEqual([]);
  });

  it('holds the commands of the operator', async () => {
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, NATS_URL: nats.url };
    const ran = promisify(execFile)('node', ['dist/tools/operator/src/main.js'], {
      cwd: image.workingDirectory,
      env,
    });
    await expect(ran).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('projects create') });
  });

  it.each(serviceNames(root))(
    'starts %s until it is ready, and ends it with 0 on SIGTERM',
    async (service) => {
      const env = await environmentFor(service);
      expect(await isReady(env)).toBe(false);
      const { child, ended } = run(service, env);
      await eventually(
        async () => child.exitCode !== null || (await isReady(env)),
        `${service} ready`,
        60_000,
      );
      child.kill('SIGTERM');
      expect(await ended).toEqual({ code: 0, said: '' });
      expect(await isReady(env)).toBe(false);
    },
    90_000,
  );

  it.each(['doorman', 'all-in-one', '../../evil', ''])(
    'refuses a service that it does not have: %p',
    async (service) => {
      const { code, said: text } = await run(service, await environmentFor('sending')).ended;
      expect(code).toBe(64);
      expect(text).toContain('use one of:\n  analytics\n');
      for (const name of serviceNames(root)) expect(text).toContain(`  ${name}\n`);
    },
  );

  it('ends with 1 and says what is missing when nothing is configured', async () => {
    const { code, said: text } = await run('sending', { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` })
      .ended;
    expect(code).toBe(1);
    expect(text).toMatch(/POSTHORN_SECRET_KEY is missing/);
  });
});
