import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsBinary } from '@posthorn/dev';
import { Process } from './processes.js';
import type { Row } from './report.js';

/** What `npm start` takes: time from an empty directory and warm, and memory at rest. */
export async function footprint(): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-start-'));
  chmodSync(root, 0o755);
  const binary = await natsBinary({ binDirectory: join('.posthorn', 'bin'), say: () => undefined });
  const environment = { POSTHORN_DATA_DIR: join(root, 'data'), PORT: '0', INBOX_PORT: '0', NATS_SERVER_BIN: binary };
  const empty = Process.run('apps/all-in-one/src/main.js', environment);
  const first = await empty.untilSays('is ready after');
  await empty.stop();
  const again = Process.run('apps/all-in-one/src/main.js', environment);
  const warm = await again.untilSays('is ready after');
  await new Promise((rest) => setTimeout(rest, 5_000));
  const megabytes = residentMegabytes(again.child.pid!);
  await again.stop();
  rmSync(root, { recursive: true, force: true });
  return [
    { name: 'start from an empty directory, s', product: first, ceiling: 5 },
    { name: 'warm start, s', product: warm, ceiling: 2 },
    { name: 'idle memory of the one process, MB', product: megabytes, ceiling: 250 },
  ];
}

/** Proportional set size where the kernel tells it: shared pages count once. */
function residentMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1_024;
}
