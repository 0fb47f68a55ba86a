import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { natsBinary } from '@posthorn/dev';
import { makeSendingProject } from '@posthorn/testing';
import { agree, type Bench } from './bench.js';
import { fill } from './load.js';
import { Process, residentMegabytes, watchMost } from './processes.js';
import { OneProcess, Product } from './product.js';

const restMs = 5_000;
const checkEveryMs = 250;

/** What `npm start` takes: time from an empty directory and warm, memory at rest. */
export async function benchStart({ rows }: Bench): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-start-'));
  chmodSync(root, 0o755);
  const binary = await natsBinary({ binDirectory: join('.posthorn', 'bin'), report: () => undefined });
  const environment = {
    POSTHORN_DATA_DIR: join(root, 'data'),
    PORT: '0',
    INBOX_PORT: '0',
    NATS_SERVER_BIN: binary,
  };
  const empty = Process.run('apps/all-in-one/src/main.js', environment);
  const first = await empty.untilOutput('is ready after');
  await empty.stop();
  const again = Process.run('apps/all-in-one/src/main.js', environment);
  const warm = await again.untilOutput('is ready after');
  await delay(restMs);
  const megabytes = residentMegabytes(again.child.pid!);
  await again.stop();
  rmSync(root, { recursive: true, force: true });
  rows.push(
    { name: 'start from an empty directory, s', product: first, ceiling: 5 },
    { name: 'warm start, s', product: warm, ceiling: 2 },
    { name: 'idle memory of the one process, MB', product: megabytes, ceiling: 250 },
  );
}

/** How much the one process grows while it hands a backlog over. */
export async function benchMemory({ servers, scale, rows }: Bench): Promise<void> {
  const paused = await OneProcess.start(servers, { DELIVERY_PAUSED: 'true' });
  const { token } = await makeSendingProject(servers.natsUrl, 'memory');
  await fill(paused.url, token, scale.large);
  await paused.stop();
  const draining = await OneProcess.start(servers);
  const before = draining.megabytes;
  const memory = watchMost(() => draining.megabytes, checkEveryMs);
  while ((await Product.waitingAt(servers)) > 0) await delay(checkEveryMs);
  const most = memory.stop();
  await agree(servers);
  await draining.stop();
  rows.push({ name: `growth while draining ${scale.large}, MB`, product: most - before, ceiling: 100 });
}
