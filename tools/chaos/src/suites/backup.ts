import { lowestIdOf } from '@posthorn/database';
import type pg from 'pg';
import { watching } from '../faults/lock-trap.js';
import { services, type Records } from '../judging/records.js';

const everyTable = `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS names FROM pg_tables WHERE schemaname = 'public'`;
const roots = `SELECT partrelid::regclass::text AS name, relowner::regrole::text AS owner FROM pg_partitioned_table JOIN pg_class ON oid = partrelid`;
const partitions = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass AND inhrelid::regclass::text ~ '_p[0-9]{8}$' ORDER BY 1`;
const [firstDay, secondDay] = [Date.UTC(2020, 0, 1), Date.UTC(2020, 0, 2)];

/** The locks of pg_dump on every table of every service: one snapshot, ACCESS SHARE. Returns how to let go of them. */
export async function lockLikeDump(records: Records): Promise<() => Promise<void>> {
  const clients: pg.Client[] = [];
  for (const service of services) {
    const client = await watching(records.urlOf(service));
    clients.push(client);
    const { rows } = await client.query<{ names: string }>(everyTable);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`LOCK TABLE ${rows[0]!.names} IN ACCESS SHARE MODE`);
  }
  return async () => {
    await Promise.all(clients.map((client) => client.end()));
  };
}

/** As if a day began: of every partitioned table the last partition is missing, and one of 2020 is to be dropped. Returns what is missing. */
export async function dueForChange(records: Records): Promise<Map<string, string>> {
  const missing = new Map<string, string>();
  for (const service of services) {
    for (const { name: table, owner } of await records.query<{ name: string; owner: string }>(
      service,
      roots,
    )) {
      const known = await records.query<{ name: string }>(service, partitions, [table]);
      const last = known.at(-1);
      if (!last || known.length < 2) continue;
      await records.query(
        service,
        `DROP TABLE ${last.name}; CREATE TABLE ${table}_p20200101 PARTITION OF ${table}
           FOR VALUES FROM ('${lowestIdOf(firstDay)}') TO ('${lowestIdOf(secondDay)}');
         ALTER TABLE ${table}_p20200101 OWNER TO ${owner}`,
      );
      missing.set(`${service} ${last.name}`, service);
      missing.set(`${service} ${table}_p20200101`, service);
    }
  }
  return missing;
}

/** Of those that were to be made or dropped: what was not. */
export async function stillDue(records: Records, due: ReadonlyMap<string, string>): Promise<string[]> {
  const left: string[] = [];
  for (const service of services) {
    const names = [...due].flatMap(([key, owner]) => (owner === service ? [key.split(' ')[1]!] : []));
    const rows = await records.query<{ name: string; exists: boolean }>(
      service,
      `SELECT name, to_regclass(name) IS NOT NULL AS exists FROM unnest($1::text[]) AS n (name)`,
      [names],
    );
    for (const { name, exists } of rows) {
      const isOld = name.endsWith('_p20200101');
      if (isOld === exists) left.push(`${service}: ${name} is ${exists ? 'not dropped' : 'missing'}`);
    }
  }
  return left;
}

async function onServer(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await watching(url);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function ownerOf(client: pg.Client, service: string): Promise<string> {
  const { rows } = await client.query<{ owner: string }>(
    `SELECT datdba::regrole::text AS owner FROM pg_database WHERE datname = $1`,
    [`posthorn_${service}`],
  );
  return rows[0]!.owner;
}

/** A copy of every database, taken while no service runs. */
export const takeBackup = (url: string): Promise<void> =>
  onServer(url, async (client) => {
    for (const service of services)
      await client.query(
        `CREATE DATABASE backup_${service} TEMPLATE posthorn_${service} OWNER ${await ownerOf(client, service)}`,
      );
  });

/** The copies take the places of the databases, as other databases of the cluster; the mail in them is a day older. */
export async function restoreDayOld(url: string, records: Records): Promise<void> {
  await onServer(url, async (client) => {
    for (const service of services) {
      await client.query(`DROP DATABASE posthorn_${service} WITH (FORCE)`);
      await client.query(`ALTER DATABASE backup_${service} RENAME TO posthorn_${service}`);
    }
  });
  await records.query(
    'sending',
    `UPDATE deliveries SET due_at = due_at - interval '1 day', expires_at = expires_at - interval '1 day';
     UPDATE installation SET alive_at = alive_at - interval '1 day'`,
  );
}
