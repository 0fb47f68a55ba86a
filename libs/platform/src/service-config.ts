import { Env } from './config.js';
import { DatabaseConfig } from './database/database-config.js';

const shortestKey = 32;

export const secretKeysIn = (ring: string): string[] => ring.split(',').map((key) => key.trim());

/** Anyone could forge what an empty key signs, so a comma too many must not become a key. */
export function secretKeyProblem(ring: string): string | undefined {
  const shortest = Math.min(...secretKeysIn(ring).map(({ length }) => length));
  if (shortest === 0) return 'contains an empty key, from a comma that stands before or after nothing';
  if (shortest < shortestKey) return `contains a key of ${shortest} characters, which is too short`;
  return undefined;
}

export class ServiceConfig extends DatabaseConfig {
  @Env('NATS_URL', {
    kind: 'url',
    default: 'nats://127.0.0.1:4222',
    secret: true,
    describe: 'URL of the NATS server, such as nats://127.0.0.1:4222',
  })
  natsUrl: string;

  @Env('DATABASE_URL', {
    kind: 'url',
    optional: true,
    secret: true,
    describe:
      'URL of a Postgres server with an account that has CREATEDB and CREATEROLE, past any pooler; each service creates its own database and roles',
  })
  databaseUrl?: string;

  @Env('POSTHORN_SECRET_KEY', {
    kind: 'text',
    secret: true,
    check: secretKeyProblem,
    describe:
      'at least 32 characters without a comma, made with openssl rand -hex 32; secrets and tokens are derived from it. During a rotation: the new key, a comma, the old key',
  })
  secretKeyRing: string;

  get secretKey(): string {
    return this.secretKeys[0]!;
  }

  /** All keys that may have sealed something, the current one first. */
  get secretKeys(): string[] {
    return secretKeysIn(this.secretKeyRing);
  }

  @Env('ADMIN_PORT', {
    kind: 'number',
    default: '0',
    max: 65_535,
    describe: 'port of /livez, /readyz and /metrics, which must not be public; 0 picks a free port',
  })
  adminPort: number;

  @Env('ADMIN_HOST', {
    kind: 'text',
    default: '127.0.0.1',
    describe: 'address of the admin port; 0.0.0.0 in a container',
  })
  adminHost: string;

  @Env('DATABASE_POOL', {
    kind: 'number',
    default: '10',
    min: 2,
    max: 200,
    describe:
      'maximum number of Postgres connections per process; half as many are added for short statements',
  })
  databasePool: number;

  @Env('ANSWER_WITHIN_MS', {
    kind: 'number',
    default: '2000',
    min: 2_000,
    max: 8_000,
    describe:
      'milliseconds after which a request is refused with 503 because a service or the database does not answer; raise it on a slow machine that refuses requests while it is busy',
  })
  answerWithinMs: number;

  /** A client gets a response in time even while Postgres hangs (docs/guarantees.md G17). */
  get databaseWaitMs(): number {
    return this.answerWithinMs * 0.75;
  }

  get callTimeoutMs(): number {
    return this.answerWithinMs * 0.85;
  }

  @Env('WORK_LEASE_SECONDS', {
    kind: 'number',
    default: '15',
    min: 2,
    max: 300,
    describe: 'seconds after which the work of a process that died is given to another one',
  })
  workLeaseSeconds: number;

  @Env('LOG_LEVEL', {
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    describe: 'lowest level of lines that are logged',
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
    describe: 'days to keep published events in the outbox',
  })
  outboxDays: number;

  @Env('OTEL_EXPORTER_OTLP_ENDPOINT', {
    kind: 'url',
    optional: true,
    describe: 'URL of an OTLP receiver, such as http://127.0.0.1:4318; without it tracing is off',
  })
  otlpEndpoint?: string;

  @Env('OTEL_EXPORTER_OTLP_PROTOCOL', {
    kind: 'choice',
    choices: ['http/protobuf', 'http/json'],
    default: 'http/protobuf',
    describe: 'OTLP protocol',
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
    describe: 'which requests are traced; with parentbased, a trusted proxy may decide',
  })
  tracesSampler: string;

  @Env('OTEL_TRACES_SAMPLER_ARG', {
    kind: 'number',
    default: '0.01',
    max: 1,
    describe: 'share of requests to trace, for samplers with a ratio',
  })
  tracesRatio: number;
}
