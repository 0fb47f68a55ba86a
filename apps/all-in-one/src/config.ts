import { DatabaseFiles, Env, secretKeyProblem } from '@posthorn/platform';

export class AllInOneConfig extends DatabaseFiles {
  @Env('POSTHORN_DATA_DIR', {
    kind: 'text',
    default: '.posthorn',
    describe: 'directory for the databases, keys and inbox of npm start',
  })
  dataDirectory: string;

  @Env('PORT', {
    kind: 'number',
    default: '3000',
    max: 65_535,
    describe: 'port of the API; 0 picks a free port',
  })
  port: number;

  @Env('INBOX_PORT', {
    kind: 'number',
    default: '8025',
    max: 65_535,
    describe: 'port of the development inbox; 0 picks a free port',
  })
  inboxPort: number;

  @Env('DATABASE_URL', {
    kind: 'url',
    optional: true,
    secret: true,
    describe: 'URL of a Postgres server to use instead of the embedded one',
  })
  databaseUrl?: string;

  @Env('NATS_URL', {
    kind: 'url',
    optional: true,
    secret: true,
    describe: 'URL of a NATS server to use instead of the embedded one',
  })
  natsUrl?: string;

  @Env('SMTP_URL', {
    kind: 'url',
    optional: true,
    secret: true,
    describe: 'URL of a mail server to send through instead of delivering to the development inbox',
  })
  smtpUrl?: string;

  @Env('POSTHORN_SECRET_KEY', {
    kind: 'text',
    optional: true,
    secret: true,
    check: secretKeyProblem,
    describe:
      'key to use instead of the one that npm start generates and stores: at least 32 characters, made with openssl rand -hex 32',
  })
  secretKey?: string;

  @Env('SYSTEM_MAIL_FROM', {
    kind: 'text',
    default: 'Posthorn <hello@posthorn.example.test>',
    describe:
      'sender of confirmation, password-reset and invitation mails; npm start marks its domain as verified',
  })
  systemMailFrom: string;

  @Env('DEV_VERIFIED_DOMAINS', {
    kind: 'text',
    default: 'example.test',
    describe: 'comma-separated domains that the demo project may send from',
  })
  devDomains: string;
}
