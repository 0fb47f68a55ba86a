import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import { watchMost } from '../processes.js';
import { benchLimit, type Product, type Servers } from '../product.js';
import { Api } from './api.js';
import type { Figure } from './audience.js';

const checkEveryMs = 100;
const rowsAtOnce = 5_000;

/** As many rows as the audience has contacts, taken in by a project that has none. */
export async function measureImports(
  servers: Servers,
  product: Product,
  contacts: number,
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-import-'));
  try {
    const table = join(folder, 'import.csv');
    await write(table, contacts);
    // What hours of load have left in a process is not the import's.
    for (const service of ['contacts', 'gateway'] as const)
      await product.restart(service, { DELIVERY_PAUSED: 'true' });
    const watched = (['contacts', 'gateway'] as const).map((service) =>
      watchMost(() => product.megabytesOf(service)),
    );
    const rate = await takeIn(servers, product, table, contacts);
    const [own, front] = watched.map((most) => most.stop());
    console.log(`import: ${Math.round(rate)} rows/s`);
    return [
      { name: 'imported rows/s', product: rate, rate: true },
      { name: 'contacts while it imports, MB', product: own!, ceiling: 300, rate: false },
      { name: 'gateway while it imports, MB', product: front!, ceiling: 300, rate: false },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rowOf = (n: number): string =>
  [
    `import-${(n * 7_919) % 1_000_003}-${n}@firm.example`,
    ['free', 'pro', 'team'][n % 3],
    n % 100,
    `city-${n % 50}`,
    n % 10 < 7,
    `20${26 + (n % 2)}-0${1 + (n % 9)}-${10 + (n % 19)}`,
  ].join();

async function write(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('email,plan,seats,city,active,renewsAt\n');
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - from);
    const part = Array.from({ length: count }, (_, n) => `${rowOf(from + n)}\n`).join('');
    if (!file.write(part)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

interface Import {
  id: string;
  status: string;
  created: number;
}

/** From the first byte of the upload until every row is a contact. */
async function takeIn({ natsUrl }: Servers, product: Product, path: string, rows: number): Promise<number> {
  const { token } = await makeSendingProject(natsUrl, 'imports', benchLimit);
  const api = new Api(product.url, token);
  const began = performance.now();
  const answer = await fetch(`${product.url}/api/v1/contacts/imports`, {
    method: 'POST',
    headers: { ...api.headers, 'content-type': 'text/csv' },
    body: Readable.toWeb(createReadStream(path)) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  if (!answer.ok) throw new Error(`the import was answered ${answer.status}: ${await answer.text()}`);
  const { id, ...begun } = (await answer.json()) as Import;
  let { status, created } = begun;
  while (status === 'QUEUED' || status === 'RUNNING') {
    await delay(checkEveryMs);
    ({ status, created } = await api.get<Import>(`/api/v1/contacts/imports/${id}`));
  }
  const seconds = (performance.now() - began) / 1_000;
  if (status !== 'COMPLETED' || created !== rows)
    throw new Error(`the import is ${status}, ${created} of ${rows} rows are contacts`);
  return rows / seconds;
}
