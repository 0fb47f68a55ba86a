import type { Database } from '../database.js';
import { RefusedDatabase } from './refused-database.js';

interface Replication {
  name: string;
  setting: string;
}

/** What would lose commits that were answered, or null (docs/guarantees.md G1). */
export async function durabilityProblem(
  database: Database,
  { allowAsyncStandby = false }: { allowAsyncStandby?: boolean } = {},
): Promise<string | null> {
  const settings = await database.query<Replication>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')`,
  );
  const unsafe = settings.filter(({ setting }) => setting === 'off' || setting === 'local');
  if (unsafe.length > 0)
    return `Postgres would lose accepted mail: set ${unsafe.map(({ name }) => `${name} = on`).join(', ')}`;
  if (allowAsyncStandby) return null;
  // A role without rights sees the rows, and nothing in them.
  const [row] = await database.query<{ standbys: number; names: string }>(
    `SELECT (SELECT count(*) FROM pg_stat_replication) AS standbys, current_setting('synchronous_standby_names') AS names`,
  );
  if (row!.standbys === 0 || row!.names.trim() !== '') return null;
  return `Postgres would lose accepted mail when its standby takes over: set synchronous_standby_names, or accept the loss with ALLOW_ASYNC_STANDBY=true`;
}

/** Also a server that only reads is refused, as one that is away: after a failover it may be the primary. */
export async function refuseLossyServer(
  database: Database,
  options: { allowAsyncStandby?: boolean },
): Promise<void> {
  const [row] = await database.query<{ standby: boolean }>(`SELECT pg_is_in_recovery() AS standby`);
  if (row!.standby)
    throw Object.assign(new Error('the server is a standby, which takes no writes'), { code: '25006' });
  const problem = await durabilityProblem(database, options);
  if (problem !== null) throw new RefusedDatabase(problem);
}
