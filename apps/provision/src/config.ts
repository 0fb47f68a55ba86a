import { Env } from '@posthorn/platform';

export class ProvisionConfig {
  @Env('DATABASE_URL', {
    kind: 'url',
    secret: true,
    describe: 'URL of the Postgres server with an account that has CREATEDB and CREATEROLE',
  })
  databaseUrl: string;
}
