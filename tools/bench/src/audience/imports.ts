import { once } from 'node:events';
import { chmodSync, createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import { inDatabase } from '../databases.js';
import { benchLimit, type Product, type Servers } from '../product.js';
import { watchMost } from '../resident.js';
import { Api } from './api.js';
import type { Figure } from './figures.js';

const checkEveryMs = 100;
const copiedInto = '01900000-0000-7000-8000-000000000002';
const rowsAtOnce = 5_000;

/** As many rows as the ground has contacts, taken in by a project that has none, beside COPY of the same rows into a table that has as many. */
export async function measureImports(
  servers: Servers,
  product: Product,
  contacts: number,
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-import-'));
  chmodSync(folder, 0o755);
  try {
    const [table, copied] = [join(folder, 'import.csv'), join(folder, 'copy.csv')];
    await write(
      table,
      'email,plan,seats,city,active,renewsAt\n',
      contacts,
      (n) => `${addressOf(n)},${fieldsOf(n).join(',')}`,
    );
    await write(
      copied,
      '',
      contacts,
      (n) => `${addressOf(n)},"${JSON.stringify(objectOf(n)).replaceAll('"', '""')}"`,
    );
    const reference = await copy(servers, copied, contacts);
    // What hours of load have left in a process is not the import's.
    for (const service of ['contacts', 'gateway'] as const)
      await product.restart(service, { DELIVERY_PAUSED: 'true' });
    const watched = (['contacts', 'gateway'] as const).map((service) =>
      watchMost(() => product.megabytesOf(service)),
    );
    const rate = await takeIn(servers, product, table, contacts);
    const [own, front] = watched.map((most) => most.stop());
    console.log(`import: ${Math.round(rate)} rows/s beside ${Math.round(reference)}`);
    return [
      { name: 'imported rows/s', product: rate, reference, floorPercent: 10, rate: true },
      { name: 'contacts while it imports, MB', product: own!.most, ceiling: 300, rate: false },
      { name: 'gateway while it imports, MB', product: front!.most, ceiling: 300, rate: false },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const addressOf = (n: number): string => `import-${(n * 7_919) % 1_000_003}-${n}@firm.example`;
const fieldsOf = (n: number): (string | number | boolean)[] => [
  ['free', 'pro', 'team'][n % 3]!,
  n % 100,
  `city-${n % 50}`,
  n % 10 < 7,
  `20${26 + (n % 2)}-0${1 + (n % 9)}-${10 + (n % 19)}`,
];
const objectOf = (n: number): object =>
  Object.fromEntries(
    ['plan', 'seats', 'city', 'active', 'renewsAt'].map((name, index) => [name, fieldsOf(n)[index]]),
  );

async function write(path: string, header: string, rows: number, line: (n: number) => string): Promise<void> {
  const file = createWriteStream(path);
  file.write(header);
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const part = Array.from(
      { length: Math.min(rowsAtOnce, rows - from) },
      (_, n) => `${line(from + n)}\n`,
    ).join('');
    if (!file.write(part)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** By the server itself, from a file: nothing is quicker. */
async function copy({ databaseUrl }: Servers, path: string, rows: number): Promise<number> {
  return inDatabase(databaseUrl, async (client) => {
    await client.query(
      `ALTER TABLE reference_contacts ALTER project_id SET DEFAULT '${copiedInto}', ALTER subscribed SET DEFAULT true`,
    );
    const began = performance.now();
    await client.query(`COPY reference_contacts (email, custom_fields) FROM '${path}' WITH (FORMAT csv)`);
    return rows / ((performance.now() - began) / 1_000);
  });
}

interface Import {
  id: string;
  status: string;
  created: number;
}

/** From the first byte of the upload until every row is a contact. */
async function takeIn({ natsUrl }: Servers, product: Product, path: string, rows: number): Promise<number> {
  const { projectId, token } = await makeSendingProject(natsUrl, 'imports', benchLimit);
  const api = new Api(product.url, projectId, token);
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
