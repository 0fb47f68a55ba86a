import { Env, ServiceConfig } from '@posthorn/platform';

export class GatewayConfig extends ServiceConfig {
  @Env('PORT', {
    kind: 'number',
    default: '3000',
    max: 65_535,
    describe: 'port of the API; 0 for any free port',
  })
  port: number;

  @Env('HOST', {
    kind: 'text',
    default: '127.0.0.1',
    describe: 'address that the API listens on; 0.0.0.0 in a container',
  })
  host: string;

  @Env('PUBLIC_URL', {
    kind: 'url',
    default: 'http://localhost:3000',
    describe: 'how clients reach the gateway: links and error types begin with it',
  })
  publicUrl: string;

  @Env('SANDBOX_DOMAIN', {
    kind: 'text',
    default: 'sandbox.test',
    describe: 'domain of the address that a project sends from in TEST mode',
  })
  sandboxDomain: string;

  @Env('TRUSTED_PROXIES', {
    kind: 'text',
    optional: true,
    describe:
      'addresses or CIDR ranges, separated by commas, whose X-Forwarded-For and traceparent are believed',
  })
  trustedProxies?: string;

  @Env('RATE_LIMIT_ENABLED', {
    kind: 'flag',
    default: 'true',
    describe: 'false lifts the limits of requests and of failed attempts, for benchmarks',
  })
  rateLimitEnabled: boolean;

  @Env('RATE_LIMIT_SECRET_PER_SECOND', {
    kind: 'number',
    default: '10',
    min: 1,
    max: 1_000_000,
    describe: 'requests a second for one secret key',
  })
  secretPerSecond: number;

  @Env('RATE_LIMIT_PUBLIC_PER_SECOND', {
    kind: 'number',
    default: '5',
    min: 1,
    max: 1_000_000,
    describe: 'requests a second for one public key',
  })
  publicPerSecond: number;

  @Env('FAILED_ATTEMPTS_PER_MINUTE', {
    kind: 'number',
    default: '600',
    min: 1,
    max: 1_000_000,
    describe:
      'credentials that are none which one client address may show a minute; further ones are answered 429 unread',
  })
  failedAttemptsPerMinute: number;

  @Env('DRAIN_MS', {
    kind: 'number',
    default: '500',
    max: 60_000,
    describe:
      'milliseconds that a stopping gateway still takes requests, each on its last connection, before it closes its port',
  })
  drainMs: number;

  @Env('TRUSTED_ORIGINS', {
    kind: 'text',
    optional: true,
    describe:
      'further origins, separated by commas, whose pages may act for a signed-in person, as in https://app.example.com',
  })
  otherOrigins?: string;

  @Env('SYSTEM_MAIL_FROM', {
    kind: 'text',
    default: 'Posthorn <hello@posthorn.example.test>',
    describe:
      'sender of confirmations, resets and invitations; its domain must be verified for the system project',
  })
  systemMailFrom: string;

  @Env('OAUTH_CLIENT_REGISTRATION', {
    kind: 'flag',
    default: 'true',
    describe: 'false lets nobody register applications but the operator (RFC 7591)',
  })
  clientRegistration: boolean;

  private origins?: string[];

  /** In lower case, as browsers send them. */
  get trustedOrigins(): string[] {
    return (this.origins ??= this.readOrigins());
  }

  private readOrigins(): string[] {
    const others = this.otherOrigins?.split(',').flatMap((origin) => origin.trim() || []) ?? [];
    return [this.publicUrl, ...others].map((url) => new URL(url).origin.toLowerCase());
  }

  get trustedRanges(): string[] {
    return this.trustedProxies?.split(',').flatMap((range) => range.trim() || []) ?? [];
  }

  get docsUrl(): string {
    return `${this.publicUrl.replace(/\/+$/, '')}/docs`;
  }
}
