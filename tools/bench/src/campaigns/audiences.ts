import { Api } from '../audience/api.js';
import { databaseOf, inDatabase, withoutIndexes } from '../databases.js';
import { newsletter, newsletterData } from '../mail.js';
import type { Product, Servers } from '../product.js';
import { makeProject, signMail } from '../sending/project.js';

/** A project whose contacts all get its campaigns. */
export interface Audience {
  api: Api;
  token: string;
  contacts: number;
  template: string;
}

/** Counted, with the link that marketing mail must have. */
const letter = {
  ...newsletter,
  body: `${newsletter.body}<p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>`,
  email_category: 'MARKETING',
};

export const nthReader = (n: number): string => `reader-${n}@bench.test`;

const contactsSql = `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields, created_at, updated_at)
  SELECT $1::uuid, uuidv7(), 'reader-' || n || '@bench.test', true, $3::jsonb, now(), now() FROM generate_series(1, $2::int) AS n`;

/** One project for each size, which sends signed and counted mail. */
export async function makeAudiences(
  servers: Servers,
  product: Product,
  sizes: readonly number[],
): Promise<Audience[]> {
  const audiences: Audience[] = [];
  for (const contacts of sizes) audiences.push(await makeAudience(servers, product, contacts));
  await inDatabase(databaseOf(servers.databaseUrl, 'contacts'), async (client) => {
    await client.query(`SET synchronous_commit = off`);
    await client.query(`SET maintenance_work_mem = '512MB'`);
    await withoutIndexes(client, ['contacts'], async () => {
      for (const { api, contacts } of audiences) {
        await client.query(contactsSql, [api.projectId, contacts, JSON.stringify(newsletterData)]);
        await client.query(
          `INSERT INTO contact_counts (project_id, total, subscribed) VALUES ($1, $2::int, $2::int)`,
          [api.projectId, contacts],
        );
      }
    });
    // What the filling leaves to be written must not be written while something is measured.
    await client.query('CHECKPOINT');
  });
  return audiences;
}

async function makeAudience(servers: Servers, product: Product, contacts: number): Promise<Audience> {
  const { projectId, token, domain } = await makeProject(servers);
  await signMail(servers, projectId, domain);
  const api = new Api(product.url, token, projectId);
  const template = (await api.post<{ id: string }>('/api/v1/templates', letter)).id;
  return { api, token, contacts, template };
}
