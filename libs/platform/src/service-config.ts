import { Env } from './config.js';

/** What every service reads. */
export class ServiceConfig {
  @Env('NATS_URL', {
    kind: 'url',
    default: 'nats://127.0.0.1:4222',
    describe: 'where NATS listens, such as nats://127.0.0.1:4222',
  })
  natsUrl: string;

  @Env('DATABASE_URL', {
    kind: 'url',
    optional: true,
    secret: true,
    describe:
      'a Postgres server and an account with CREATEDB and CREATEROLE: each service makes its own database and role there',
  })
  databaseUrl?: string;

  @Env('POSTHORN_SECRET_KEY', {
    kind: 'text',
    secret: true,
    describe:
      'at least 32 characters without a comma; secrets and tokens are derived from it. While it is being changed: the new one, a comma, the old one',
  })
  secretKeyRing: string;

  /** The one that seals and signs. */
  get secretKey(): string {
    return this.secretKeys[0]!;
  }

  /** Every key that something may still be sealed with, the current one first. */
  get secretKeys(): string[] {
    return this.secretKeyRing.split(',').map((key) => key.trim());
  }

  @Env('ADMIN_PORT', {
    kind: 'number',
    default: '0',
    max: 65_535,
    describe: 'port of /livez, /readyz and /metrics, never a public one; 0 for any free port',
  })
  adminPort: number;

  @Env('ADMIN_HOST', {
    kind: 'text',
    default: '127.0.0.1',
    describe: 'address that the admin port listens on; 0.0.0.0 in a container',
  })
  adminHost: string;

  @Env('DATABASE_POOL', {
    kind: 'number',
    default: '10',
    min: 2,
    max: 200,
    describe: 'connections to Postgres that one process keeps',
  })
  databasePool: number;

  @Env('WORK_LEASE_SECONDS', {
    kind: 'number',
    default: '15',
    min: 2,
    max: 300,
    describe: 'seconds after which work that a process had when it died is given to another one',
  })
  workLeaseSeconds: number;

  @Env('LOG_LEVEL', {
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    describe: 'the least severe lines that are written',
  })
  logLevel: string;

  @Env('LOG_FORMAT', {
    kind: 'choice',
    choices: ['json', 'text'],
    default: 'json',
    describe: 'json for machines, text for people',
  })
  logFormat: string;

  @Env('RETENTION_OUTBOX_DAYS', {
    kind: 'number',
    default: '7',
    min: 1,
    max: 365,
    describe: 'days that published facts stay in the outbox',
  })
  outboxDays: number;

  @Env('OTEL_EXPORTER_OTLP_ENDPOINT', {
    kind: 'url',
    optional: true,
    describe: 'where an OTLP receiver listens, such as http://127.0.0.1:4318; nothing is traced without it',
  })
  otlpEndpoint?: string;

  @Env('OTEL_EXPORTER_OTLP_PROTOCOL', {
    kind: 'choice',
    choices: ['http/protobuf', 'http/json'],
    default: 'http/protobuf',
    describe: 'what is spoken to it',
  })
  otlpProtocol: string;

  @Env('OTEL_TRACES_SAMPLER', {
    kind: 'choice',
    choices: [
      'parentbased_traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'traceidratio',
      'always_on',
      'always_off',
    ],
    default: 'parentbased_traceidratio',
    describe: 'which requests are traced; a trusted proxy may decide where the name begins with parentbased',
  })
  tracesSampler: string;

  @Env('OTEL_TRACES_SAMPLER_ARG', {
    kind: 'number',
    default: '0.01',
    max: 1,
    describe: 'share of the requests that is traced, where the sampler takes one',
  })
  tracesRatio: number;
}
