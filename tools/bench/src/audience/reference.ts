import { chooseQuietPort } from '@posthorn/dev';
import { databaseOf, inDatabase } from '../databases.js';
import { Process } from '../processes.js';
import type { Servers } from '../product.js';
import { addressOf, fieldsOf } from './people.js';

const project = '01900000-0000-7000-8000-000000000001';

/** The bare server, with as many contacts as the product. */
export class Reference {
  private constructor(
    private readonly process: Process,
    readonly url: string,
  ) {}

  static async start({ databaseUrl }: Servers, contacts: number): Promise<Reference> {
    await inDatabase(databaseUrl, async (client) => {
      for (const sql of tables(contacts)) await client.query(sql);
    });
    const port = await chooseQuietPort();
    const environment = {
      DATABASE_URL: databaseUrl,
      CONTACTS_URL: databaseOf(databaseUrl, 'contacts'),
      PROJECT_ID: project,
    };
    const process = Process.run('audience/reference-audience.js', { ...environment, PORT: String(port) });
    await process.untilOutput('ready');
    return new Reference(process, `http://127.0.0.1:${port}`);
  }

  async rows<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const answer = await fetch(`${this.url}/by-hand`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql, parameters }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${sql}: ${text}`);
    return (JSON.parse(text) as { data: Row[] }).data;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}

const tables = (contacts: number): string[] => [
  `DROP TABLE IF EXISTS reference_contacts, reference_events`,
  `CREATE TABLE reference_contacts (
     id uuid PRIMARY KEY DEFAULT uuidv7(), project_id uuid NOT NULL, email text NOT NULL, subscribed boolean NOT NULL,
     custom_fields jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE TABLE reference_events (
     id uuid PRIMARY KEY DEFAULT uuidv7(), contact_id uuid NOT NULL, name text NOT NULL, payload jsonb NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now())`,
  `INSERT INTO reference_contacts (project_id, email, subscribed, custom_fields)
     SELECT '${project}', ${addressOf('n')}, true, ${fieldsOf('n')} FROM generate_series(1::bigint, ${contacts}) AS n`,
  `ALTER TABLE reference_contacts ADD UNIQUE (project_id, email)`,
  `VACUUM (ANALYZE) reference_contacts`,
  `CHECKPOINT`,
];
