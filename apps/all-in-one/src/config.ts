import { Env } from '@posthorn/platform';

/** What `npm start` itself reads; the services in it read their own. */
export class AllInOneConfig {
  @Env('POSTHORN_DATA_DIR', {
    kind: 'text',
    default: '.posthorn',
    describe: 'the folder that holds databases, keys and the inbox of npm start',
  })
  dataDirectory: string;

  @Env('PORT', {
    kind: 'number',
    default: '3000',
    max: 65_535,
    describe: 'port of the API; 0 for any free port',
  })
  port: number;

  @Env('INBOX_PORT', {
    kind: 'number',
    default: '8025',
    max: 65_535,
    describe: 'port of the development inbox; 0 for any free port',
  })
  inboxPort: number;

  @Env('DATABASE_URL', {
    kind: 'url',
    optional: true,
    secret: true,
    describe: 'a Postgres server to use instead of the embedded one',
  })
  databaseUrl?: string;

  @Env('NATS_URL', {
    kind: 'url',
    optional: true,
    describe: 'a NATS server to use instead of the embedded one',
  })
  natsUrl?: string;

  @Env('SMTP_URL', {
    kind: 'url',
    optional: true,
    secret: true,
    describe: 'a mail server to send to instead of the development inbox',
  })
  smtpUrl?: string;

  @Env('POSTHORN_SECRET_KEY', {
    kind: 'text',
    optional: true,
    secret: true,
    describe: 'instead of the key that npm start makes and keeps',
  })
  secretKey?: string;

  @Env('SYSTEM_MAIL_FROM', {
    kind: 'text',
    default: 'Posthorn <hello@posthorn.example.test>',
    describe: 'sender of confirmations, resets and invitations; npm start vouches for its domain',
  })
  systemMailFrom: string;

  @Env('DEV_VERIFIED_DOMAINS', {
    kind: 'text',
    default: 'example.test',
    describe: 'domains that the demo project may send from, separated by commas',
  })
  devDomains: string;
}
