import pg from 'pg';

/** Keys, access tokens, refresh tokens and secrets of applications, wherever they stand. */
const secretPattern = '([sp]k_(live|test)|oat|ort|ocs)_[0-9A-Za-z]{42}';
const ended = 'Ctrl-C stops everything';

/**
 * Fails where anything that opens an account lies in a database or in a log line: whatever looks like one, and what clients
 * showed. What a start says to whoever started it is no log.
 */
export async function refuseLeaks(databaseUrls: readonly string[], output: string, known: ReadonlySet<string>): Promise<void> {
  const secrets = [...known];
  const places = (await Promise.all(databaseUrls.map((url) => leaksOnServer(url, secrets)))).flat();
  const logged = linesAfterStart(output).find(
    (line) => new RegExp(secretPattern).test(line) || secrets.some((secret) => line.includes(secret)),
  );
  if (logged !== undefined) places.push(`the log: ${logged}`);
  if (places.length > 0) throw new Error(`Secrets lie in ${places.join(', ')}`);
}

export const looksSecret = (text: string): boolean => new RegExp(secretPattern).test(text);

/** A start speaks of the demo keys between its first words and its last. */
const linesAfterStart = (output: string): string[] => output.slice(output.lastIndexOf(ended)).split('\n');

async function leaksOnServer(url: string, secrets: readonly string[]): Promise<string[]> {
  const names = await asked(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(`SELECT datname FROM pg_database WHERE NOT datistemplate AND datallowconn`);
    return rows.map(({ datname }) => datname);
  });
  const found = await Promise.all(
    (names ?? []).map((name) => leaksIn(Object.assign(new URL(url), { pathname: `/${name}` }).href, name, secrets)),
  );
  return found.flat();
}

async function leaksIn(url: string, database: string, secrets: readonly string[]): Promise<string[]> {
  const found = await asked(url, async (client) => {
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

/** Null where the test itself took the server away. */
async function asked<T>(url: string, ask: (client: pg.Client) => Promise<T>): Promise<T | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch {
    return null;
  }
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}
