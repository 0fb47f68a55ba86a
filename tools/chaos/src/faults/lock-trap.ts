import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** A state that lasts no time is held open by a lock that the next statement of it waits for. */
export interface Lock {
  table: string;
  /** A LIKE pattern of that statement. */
  statement: string;
  /** Whom it keeps waiting: whoever writes, unless said otherwise, or whoever locks rows as well. */
  mode?: 'SHARE' | 'EXCLUSIVE';
}

/** A process that was seen in a state. */
export interface Caught {
  /** Of the service's process, where the state belongs to one. */
  pid: number | null;
}

const checkEveryMs = 15;

/** Keeps a process at the lock while `strike` runs. Returns null when none came in time. */
export async function heldAt(
  connect: () => Promise<pg.Client>,
  { table, statement, mode = 'SHARE' }: Lock,
  timeoutMs: number,
  inject: (caught: Caught) => Promise<void>,
): Promise<Caught | null> {
  const holder = await connect();
  const watcher = await connect();
  try {
    // Readers pass. Ours must not queue behind them for long, nor they behind it.
    await holder.query(`SET lock_timeout = '1s'; BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
    const caught = await until(timeoutMs, async () => {
      const { rows } = await watcher.query<{ application_name: string }>(
        `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
        [statement],
      );
      const pid = rows
        .map(({ application_name: name }) => Number(/(\d+)/.exec(name)?.[1]))
        .find(Number.isInteger);
      return pid === undefined ? null : { pid };
    });
    if (caught) await inject(caught);
    return caught;
  } finally {
    await Promise.all([holder.end(), watcher.end()].map((end) => end.catch(() => undefined)));
  }
}

export async function watching(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'nemesis',
    connectionTimeoutMillis: 2_000,
  });
  // It is killed together with the server that it watches.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function until<T>(timeoutMs: number, look: () => Promise<T | null>): Promise<T | null> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const found = await look();
    if (found) return found;
    await delay(checkEveryMs);
  }
  return null;
}
