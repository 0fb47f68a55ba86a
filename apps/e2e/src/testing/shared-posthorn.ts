import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiKeys,
  domains,
  noProject,
  projects,
  users,
  type Caller,
  type CreateApiKey,
} from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';
import pg from 'pg';
import { makeDataDirectory, RunningPosthorn, type DevFile } from './running-posthorn.js';

/** What the demo project of `npm start` may send from; a domain belongs to one project. */
const domain = 'example.test';
const timeouts = { timeoutMs: 20_000 };
const ofOneSuite = ['dev.json'];

let running: Promise<RunningPosthorn> | undefined;

/** The product that the suites of this worker share, with a new project in place of the demo project. */
export async function borrowPosthorn(dataDirectory: string): Promise<RunningPosthorn> {
  if (!(await running?.catch(() => null))?.isRunning) running = startShared();
  const product = await running!;
  const dev = await withBus(product, (bus) => createProject(product, bus));
  mkdirSync(dataDirectory);
  for (const name of readdirSync(product.dataDirectory).filter((each) => !ofOneSuite.includes(each)))
    symlinkSync(join(product.dataDirectory, name), join(dataDirectory, name));
  writeFileSync(join(dataDirectory, 'dev.json'), JSON.stringify(dev, null, 2));
  await fetch(`${dev.inboxUrl}/api/messages`, { method: 'DELETE' });
  const lent = product.lend(dataDirectory);
  lent.keepSecret(dev.user.password);
  return lent;
}

/** What its project has left to do is held. */
export async function returnPosthorn(lent: RunningPosthorn): Promise<void> {
  const { projectId: id } = lent.dev;
  await withBus(lent, (bus) =>
    bus.call(projects.disable, operatorIn(id), { id, reason: 'MANUAL' }, timeouts),
  );
  await lent.giveBack();
}

async function startShared(): Promise<RunningPosthorn> {
  const directory = makeDataDirectory();
  const product = await RunningPosthorn.start(directory.path, { SENDING_RATE_PER_SECOND: '0' });
  product.unref();
  // The runner waits for the end of these.
  const shared = process.env['POSTHORN_TEST_SHARED'];
  if (shared) writeFileSync(join(shared, String(product.child.pid)), directory.path);
  process.once('exit', () => product.child.kill('SIGINT'));
  process.once('SIGTERM', () => process.exit(143));
  return product;
}

async function createProject({ dev, servers }: RunningPosthorn, bus: Bus): Promise<DevFile> {
  const { id: projectId } = await bus.call(
    projects.create,
    operatorIn(noProject),
    { name: 'Demo' },
    timeouts,
  );
  const operator = operatorIn(projectId);
  const keyFor = async (wanted: CreateApiKey) =>
    (await bus.call(apiKeys.create, operator, wanted, timeouts)).token;
  const [secretKey, publicKey, formKey, { email, password }] = await Promise.all([
    keyFor({ name: 'Demo secret key' }),
    keyFor({ name: 'Demo public key', legacyGrantPreset: 'SENDING_ONLY' }),
    keyFor({
      name: 'Demo key for forms',
      legacyGrantPreset: 'SENDING_ONLY',
      confine: { subscribeOnly: true },
    }),
    bus.call(
      users.create,
      operator,
      {
        email: `demo-${projectId.slice(-8)}@example.test`,
        name: 'Demo',
        verified: true,
        ownedProjectId: projectId,
      },
      timeouts,
    ),
  ]);
  await releaseDomain(servers.databaseUrls);
  await bus.call(domains.verify, operator, { domain }, timeouts);
  return { ...dev, projectId, secretKey, publicKey, formKey, user: { email, password: password! } };
}

/** From the project of the suite before. */
async function releaseDomain(databaseUrls: readonly string[]): Promise<void> {
  const name = '/posthorn_sending';
  const url = new URL(databaseUrls.find((each) => each.endsWith(name)) ?? databaseUrls[0]!);
  url.pathname = name;
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  await client.query('DELETE FROM domains WHERE domain = $1', [domain]);
  await client.end();
}

async function withBus<T>({ servers }: RunningPosthorn, work: (bus: Bus) => Promise<T>): Promise<T> {
  const connection = await BusConnection.open({ url: servers.natsUrl, name: 'suite' });
  try {
    return await work(new Bus(connection));
  } finally {
    await connection.close();
  }
}

const operatorIn = (projectId: string): Caller => ({ projectId, actor: { kind: 'OPERATOR', id: 'tests' } });
