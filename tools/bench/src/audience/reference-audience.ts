import fastify from 'fastify';
import pg from 'pg';
import { eventByHand, upsertByHand } from './by-hand.js';

/** Bare Fastify over plain tables: an INSERT … ON CONFLICT and COMMIT for each contact, one more INSERT for an event, and statements as they were written by hand. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 16 });
const contacts = new pg.Pool({
  connectionString: process.env['CONTACTS_URL'],
  max: 16,
  options: '-c jit=off -c work_mem=64MB',
});
const project = process.env['PROJECT_ID'];
const app = fastify();

interface Written {
  email: string;
  event: string;
  data?: object;
}

async function commit<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const done = await work(client);
    await client.query('COMMIT');
    return done;
  } finally {
    client.release();
  }
}

async function upsert(client: pg.PoolClient, { email, data = {} }: Written): Promise<string> {
  const { rows } = await client.query<{ id: string }>(upsertByHand, [project, email, JSON.stringify(data)]);
  return rows[0]!.id;
}

app.post<{ Body: Written }>('/api/contacts/upsert', async ({ body }, reply) => {
  const id = await commit((client) => upsert(client, body));
  return reply.send({ id, email: body.email, data: body.data });
});

app.post<{ Body: Written }>('/api/track', async ({ body }, reply) => {
  const { event, data = {} } = body;
  const text = await commit(async (client) => {
    const contact = await upsert(client, body);
    const { rows } = await client.query<{ id: string }>(eventByHand, [contact, event, JSON.stringify(data)]);
    return { contact, event: rows[0]!.id };
  });
  return reply.send(text);
});

app.post<{ Body: { sql: string; parameters: unknown[] } }>('/by-hand', async ({ body }, reply) => {
  const { rows } = await contacts.query(body.sql, body.parameters);
  return reply.send({ data: rows });
});

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
process.on('SIGTERM', () => void app.close().then(() => Promise.all([pool.end(), contacts.end()])));
console.log('ready');
