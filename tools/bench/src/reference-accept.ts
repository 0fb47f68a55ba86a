import fastify from 'fastify';
import pg from 'pg';

/** The machine's own limit for one request, one commit: bare Fastify, INSERT + COMMIT for each, pool of 16. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 16 });
await pool.query(
  `CREATE TABLE IF NOT EXISTS reference (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), recipient text, subject text, body text, created_at timestamptz DEFAULT now())`,
);
const app = fastify();

interface Mail {
  to: string;
  subject: string;
  body: string;
}

app.post<{ Body: Mail }>('/api/v1/emails', async (request, reply) => {
  const { to, subject, body } = request.body;
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string }>(
      'INSERT INTO reference (recipient, subject, body) VALUES ($1, $2, $3) RETURNING id',
      [to, subject, body],
    );
    await client.query('COMMIT');
    return await reply.code(202).send({ id: rows[0]!.id, status: 'PENDING', to });
  } finally {
    client.release();
  }
});

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.on('SIGTERM', () => void app.close().then(() => pool.end()));
console.log('ready');
