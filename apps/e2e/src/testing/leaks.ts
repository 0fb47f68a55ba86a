import pg from 'pg';
import type { ExportedTraces } from './exported-traces.js';

/** Keys, access tokens, refresh tokens and client secrets anywhere. */
const secretPattern = '([sp]k_(live|test)|oat|ort|ocs)_[0-9A-Za-z]{42}';

/** Secrets in URLs: these parameters are used for nothing else. */
const secretParameter = /[?&](?:token|code|state)=/;

/** Locations of secrets: by their form, and by the values that clients sent. */
export async function leaksStored(
  databaseUrls: readonly string[],
  known: ReadonlySet<string>,
): Promise<string[]> {
  return (await Promise.all(databaseUrls.map((url) => leaksOnServer(url, [...known])))).flat();
}

/** What is logged after a start; the start itself prints the demo keys. */
export function leaksLogged(output: string, known: ReadonlySet<string>): string[] {
  const line = output.split('\n').find((text) => looksSecret(text) || holdsAny(text, known));
  return line === undefined ? [] : [`the log: ${line}`];
}

export async function leaksExported(traces: ExportedTraces, known: ReadonlySet<string>): Promise<string[]> {
  const escaped = new Set([...known].map((secret) => JSON.stringify(secret).slice(1, -1)));
  const span = await traces.find(
    (text) => looksSecret(text) || secretParameter.test(text) || holdsAny(text, escaped),
  );
  return span === null ? [] : [`the traces: ${span}`];
}

const holdsAny = (text: string, secrets: ReadonlySet<string>): boolean =>
  [...secrets].some((secret) => text.includes(secret));

export const looksSecret = (text: string): boolean => new RegExp(secretPattern).test(text);

async function leaksOnServer(url: string, secrets: readonly string[]): Promise<string[]> {
  const names = await requested(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE NOT datistemplate AND datallowconn`,
    );
    return rows.map(({ datname }) => datname);
  });
  const found = await Promise.all(
    (names ?? []).map((name) =>
      leaksIn(Object.assign(new URL(url), { pathname: `/${name}` }).href, name, secrets),
    ),
  );
  return found.flat();
}

async function leaksIn(url: string, database: string, secrets: readonly string[]): Promise<string[]> {
  const found = await requested(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const leaking: string[] = [];
    for (const { name } of rows) if (await leaks(client, name, secrets)) leaking.push(`${database}.${name}`);
    return leaking;
  });
  return found ?? [];
}

async function leaks(client: pg.Client, table: string, secrets: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM ${table} AS content WHERE content::text ~ $1 OR EXISTS (SELECT FROM unnest($2::text[]) AS secret WHERE strpos(content::text, secret) > 0) LIMIT 1`,
    [secretPattern, secrets],
  );
  return rows.length > 0;
}

/** Null if the test stopped the server. */
async function requested<T>(url: string, request: (client: pg.Client) => Promise<T>): Promise<T | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch {
    return null;
  }
  try {
    return await request(client);
  } finally {
    await client.end();
  }
}
