import { randomUUID } from 'node:crypto';
import { inDatabase, databaseOf } from '../databases.js';
import type { Servers } from '../product.js';

const atOnce = 50_000;

/** E-mails that the mail server has taken, by SQL: so many cannot be sent within the time of a bench. Returns some of their ids. */
export async function storeSentMail(
  servers: Servers,
  projectId: string,
  count: number,
  wanted: number,
): Promise<string[]> {
  return inDatabase(databaseOf(servers.databaseUrl, 'sending'), async (client) => {
    const run = randomUUID().slice(0, 8);
    for (let first = 0; first < count; first += atOnce)
      await client.query(
        `WITH made AS (
           SELECT uuidv7() AS id, 'reader-${run}-' || n || '@bench.test' AS recipient FROM generate_series($2::int, $3::int) AS n
         ), email AS (
           INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status, sent_at)
           SELECT $1, id, id, 'hello@shop.example', recipient, 'Your order', 'SENT', now() FROM made
         ), event AS (
           INSERT INTO email_events (project_id, email_id, id, status, recipient, attempt, stage, host, tls, duration_ms)
           SELECT $1, id, uuidv7(), 'SENT', recipient, 1, 'dot', 'mx.bench.test', true, 12 FROM made
         )
         INSERT INTO deliveries (project_id, email_id, recipient, lane, state, expires_at, bytes, lease_token, attempts, reported)
         SELECT $1, id, recipient, 0, 'SENT', now() + interval '1 day', 1000, 1, 1, 1 FROM made`,
        [projectId, first, Math.min(first + atOnce, count) - 1],
      );
    await client.query('ANALYZE emails, email_events, deliveries');
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM emails WHERE project_id = $1 AND status = 'SENT' ORDER BY md5(id::text) LIMIT $2`,
      [projectId, wanted],
    );
    return rows.map(({ id }) => id);
  });
}
