import pg from 'pg';

/** The superuser's URL of one service's database. */
export function databaseOf(databaseUrl: string, service: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/posthorn_${service}`;
  return url.toString();
}

export async function inDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
