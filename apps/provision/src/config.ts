import { DatabaseFiles, Env } from '@posthorn/platform';

export class ProvisionConfig extends DatabaseFiles {
  @Env('DATABASE_URL', {
    kind: 'url',
    secret: true,
    describe: 'URL of the Postgres server with an account that has CREATEDB and CREATEROLE, past any pooler',
  })
  databaseUrl: string;
}
