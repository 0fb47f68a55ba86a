import fastify from 'fastify';
import pg from 'pg';

/** The machine's own limit for one report on disk: bare Fastify, one INSERT and COMMIT of the payload for each, pool of 16. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 16 });
await pool.query(
  `CREATE TABLE IF NOT EXISTS report_reference (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), payload text, at timestamptz DEFAULT now())`,
);
const app = fastify();
app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_, body, done) => done(null, body));

// A statement alone is its own transaction.
app.post<{ Body: string }>('/hooks/ses', async (request) => {
  await pool.query('INSERT INTO report_reference (payload) VALUES ($1)', [request.body]);
  return { recorded: 1 };
});

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.on('SIGTERM', () => void app.close().then(() => pool.end()));
console.log('ready');
