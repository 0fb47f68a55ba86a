import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@posthorn/database';
import { work } from '@posthorn/work';
import { waitMs, type Bench } from '../bench.js';
import { inDatabase } from '../databases.js';
import { OneProcess } from '../product.js';
import { WorkFixture } from './work-fixture.js';

/** After a start some loops still have something to do. */
const settleMs = 60_000;
const kind = work('contacts.rare');

/** What the product costs while nobody wants anything of it, and how soon it is awake. */
export async function benchRest(bench: Bench): Promise<void> {
  await benchIdle(bench);
  await benchAwakening(bench);
}

/** All services in one process, from some time after their start; Postgres's log has every statement. */
async function benchIdle({ servers, scale, rows, readers }: Bench): Promise<void> {
  let statements = 0;
  const read = (line: string): void => {
    if (/LOG:\s+(statement|execute [^:]*): /.test(line)) statements += 1;
  };
  const one = await OneProcess.start(servers);
  try {
    await delay(settleMs);
    await logStatements(servers.databaseUrl, 'all');
    readers.add(read);
    const before = one.cpuSeconds;
    await delay(scale.restSeconds * 1_000);
    readers.delete(read);
    const cpu = one.cpuSeconds - before;
    rows.push(
      { name: 'rest: statements/s of all services', product: statements / scale.restSeconds, ceiling: 5 },
      { name: 'rest: CPU s a minute of all services', product: (cpu * 60) / scale.restSeconds, ceiling: 0.6 },
    );
  } finally {
    await logStatements(servers.databaseUrl, 'none');
    await one.stop();
  }
}

async function logStatements(url: string, which: 'all' | 'none'): Promise<void> {
  await inDatabase(url, async (client) => {
    await client.query(`ALTER SYSTEM SET log_statement = '${which}'`);
    await client.query('SELECT pg_reload_conf()');
  });
}

/** From the enqueue by one process to the handler in another, which has had nothing to do. */
async function benchAwakening({ servers, scale, rows }: Bench): Promise<void> {
  const fixture = await WorkFixture.make(servers, 'awakening');
  const took: number[] = [];
  let awake = (): void => undefined;
  const resting = await fixture.start(kind, { run: () => Promise.resolve(awake()) });
  const enqueuing = await fixture.start(kind);
  for (let times = 0; times < scale.awakenings; times += 1) {
    await delay(2_000);
    const received = new Promise<void>((resolve) => (awake = resolve));
    const began = performance.now();
    await enqueuing.queue.enqueue(kind, [{ projectId: newId() }]);
    await received;
    took.push(performance.now() - began);
  }
  await Promise.all([resting.stop(), enqueuing.stop()]);
  await fixture.close();
  rows.push({ name: 'rest: ms to the first item', product: waitMs(took), ceiling: 100 });
}
