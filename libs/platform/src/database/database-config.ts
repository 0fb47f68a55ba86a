import { Env } from '../config.js';

/** How every process reaches Postgres, `provision` too. */
export class DatabaseFiles {
  @Env('DATABASE_CA_FILE', {
    kind: 'text',
    optional: true,
    describe:
      'file of the certificate authorities that Postgres is trusted by; with it, and without sslmode in the URL, sslmode is verify-full',
  })
  databaseCaFile?: string;

  @Env('DATABASE_CERT_FILE', {
    kind: 'text',
    optional: true,
    describe: 'file of the certificate that is shown to Postgres',
  })
  databaseCertFile?: string;

  @Env('DATABASE_KEY_FILE', {
    kind: 'text',
    optional: true,
    describe: 'file of the key of DATABASE_CERT_FILE',
  })
  databaseKeyFile?: string;
}

export class DatabaseConfig extends DatabaseFiles {
  @Env('ALLOW_ASYNC_STANDBY', {
    kind: 'flag',
    default: 'false',
    describe:
      'start although a standby of Postgres is not synchronous; when it takes over, accepted mail that it had not received is lost',
  })
  allowAsyncStandby: boolean;

  @Env('MIGRATE_AT_START', {
    kind: 'flag',
    default: 'true',
    describe:
      'false: wait up to ten minutes for the job `posthorn migrate --service NAME` instead of migrating',
  })
  migrateAtStart: boolean;
}

export const tlsOf = ({ databaseCaFile, databaseCertFile, databaseKeyFile }: DatabaseFiles) => ({
  ...(databaseCaFile ? { caFile: databaseCaFile } : {}),
  ...(databaseCertFile ? { certFile: databaseCertFile } : {}),
  ...(databaseKeyFile ? { keyFile: databaseKeyFile } : {}),
});
