import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '@posthorn/testing';
import pg from 'pg';
import type { RunningPosthorn } from './running-posthorn.js';

/** Locations of these strings, in any case, in tables, the NATS store, logs and exports. */
export async function tablesContaining(
  { servers, dataDirectory, output, traces }: RunningPosthorn,
  texts: readonly string[],
): Promise<string[]> {
  const lower = texts.map((text) => text.toLowerCase());
  const says = (text: string) => lower.some((term) => text.toLowerCase().includes(term));
  const tables = await onEveryDatabase(servers.databaseUrls, (client, database) =>
    tablesHolding(client, database, lower),
  );
  const files = filesBelow(join(dataDirectory, 'nats')).filter((file) => says(readFileSync(file, 'latin1')));
  const published = await traces.find(says);
  return [
    ...tables.flat(),
    ...(files.length > 0 ? ['nats'] : []),
    ...(says(output) ? ['log'] : []),
    ...(published === null ? [] : ['traces']),
  ].sort();
}

/** Events still to be published, for the first time or again. */
export async function eventsUnpublished({ servers }: RunningPosthorn): Promise<number> {
  const counts = await onEveryDatabase(servers.databaseUrls, async (client) => {
    const { rows: known } = await client.query(`SELECT FROM pg_tables WHERE tablename = 'event_repeats'`);
    if (known.length === 0) return 0;
    const { rows } = await client.query<{ left: string }>(
      `SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL) + (SELECT count(*) FROM event_repeats) AS left`,
    );
    return Number(rows[0]!.left);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The database with this name, on whichever server. */
export async function urlOfDatabase({ servers }: RunningPosthorn, name: string): Promise<string> {
  for (const url of servers.databaseUrls)
    if ((await connected(url, namesOf)).includes(name)) return onServer(url, name);
  throw new Error(`no server has a database ${name}`);
}

async function tablesHolding(client: pg.Pool, database: string, texts: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  // Bytes are in hexadecimal.
  const checked = [
    ...texts,
    ...texts.flatMap((text) => [text, text.toUpperCase()]).map((text) => Buffer.from(text).toString('hex')),
  ];
  const holding: string[] = [];
  for (const { name } of rows) {
    const found = await client.query(
      `SELECT FROM ${name} AS content WHERE EXISTS (SELECT FROM unnest($1::text[]) AS word WHERE strpos(lower(to_jsonb(content)::text), word) > 0) LIMIT 1`,
      [checked],
    );
    if (found.rowCount! > 0) holding.push(`${database}.${name}`);
  }
  return holding;
}

async function onEveryDatabase<T>(
  urls: readonly string[],
  work: (client: pg.Pool, database: string) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const url of urls)
    for (const name of await connected(url, namesOf))
      results.push(await connected(onServer(url, name), (client) => work(client, name)));
  return results;
}

const onServer = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;

async function namesOf(client: pg.Pool): Promise<string[]> {
  const { rows } = await client.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE NOT datistemplate AND datallowconn`,
  );
  return rows.map(({ datname }) => datname);
}

function connected<T>(url: string, work: (client: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  return work(pool).finally(() => pool.end());
}
