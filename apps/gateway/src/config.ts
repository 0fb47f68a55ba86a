import { Env, ServiceConfig } from '@posthorn/platform';

export class GatewayConfig extends ServiceConfig {
  @Env('PORT', {
    kind: 'number',
    default: '3000',
    max: 65_535,
    describe: 'port of the API; 0 picks a free port',
  })
  port: number;

  @Env('HOST', {
    kind: 'text',
    default: '127.0.0.1',
    describe: 'address to listen on; 0.0.0.0 in a container',
  })
  host: string;

  @Env('PUBLIC_URL', {
    kind: 'url',
    default: 'http://localhost:3000',
    describe: 'public URL of the gateway; links and error types start with it',
  })
  publicUrl: string;

  @Env('SANDBOX_DOMAIN', {
    kind: 'text',
    default: 'sandbox.test',
    describe: 'domain of the sandbox addresses, which TEST keys send from',
  })
  sandboxDomain: string;

  @Env('TRUSTED_PROXIES', {
    kind: 'text',
    optional: true,
    describe:
      'comma-separated addresses or CIDR ranges of proxies whose X-Forwarded-For and traceparent headers are trusted',
  })
  trustedProxies?: string;

  @Env('RATE_LIMIT_ENABLED', {
    kind: 'flag',
    default: 'true',
    describe: 'false turns off rate limits and the limit on failed attempts, for benchmarks',
  })
  rateLimitEnabled: boolean;

  @Env('RATE_LIMIT_SECRET_PER_SECOND', {
    kind: 'number',
    default: '10',
    min: 1,
    max: 1_000_000,
    describe: 'requests per second for a secret key',
  })
  secretPerSecond: number;

  @Env('RATE_LIMIT_PUBLIC_PER_SECOND', {
    kind: 'number',
    default: '5',
    min: 1,
    max: 1_000_000,
    describe: 'requests per second for a public key',
  })
  publicPerSecond: number;

  @Env('RATE_LIMIT_SESSION_PER_SECOND', {
    kind: 'number',
    default: '50',
    min: 1,
    max: 1_000_000,
    describe: 'requests per second for a signed-in user, over all sessions and projects',
  })
  sessionPerSecond: number;

  @Env('FAILED_ATTEMPTS_PER_MINUTE', {
    kind: 'number',
    default: '600',
    min: 1,
    max: 1_000_000,
    describe:
      'invalid credentials allowed per client address and minute; further ones are answered 429 without being checked',
  })
  failedAttemptsPerMinute: number;

  @Env('STREAM_CONNECTIONS', {
    kind: 'number',
    default: '2000',
    min: 1,
    max: 100_000,
    describe: 'live streams that may be open at once in one gateway; further ones are answered 429',
  })
  streamConnections: number;

  @Env('STREAM_CONNECTIONS_PER_PROJECT', {
    kind: 'number',
    default: '100',
    min: 1,
    max: 100_000,
    describe: 'the same for each project',
  })
  streamConnectionsPerProject: number;

  @Env('DRAIN_MS', {
    kind: 'number',
    default: '500',
    max: 60_000,
    describe:
      'time in milliseconds during which a stopping gateway still accepts requests, closing each connection after its response, before it closes its port',
  })
  drainMs: number;

  @Env('TRUSTED_ORIGINS', {
    kind: 'text',
    optional: true,
    describe:
      'further comma-separated origins whose pages may act for a signed-in user, such as https://app.example.com',
  })
  otherOrigins?: string;

  @Env('SYSTEM_MAIL_FROM', {
    kind: 'text',
    default: 'Posthorn <hello@posthorn.example.test>',
    describe:
      'sender of confirmation, password-reset and invitation mails; its domain must be verified for the system project',
  })
  systemMailFrom: string;

  @Env('SIGN_UP', {
    kind: 'choice',
    choices: ['open', 'invite', 'off'],
    default: 'invite',
    describe:
      'who may sign up: everybody, only addresses with an open invitation to a project, or nobody; the operator creates users in any case. npm start sets open',
  })
  signUp: 'open' | 'invite' | 'off';

  @Env('OAUTH_CLIENT_REGISTRATION', {
    kind: 'flag',
    default: 'true',
    describe: 'false restricts registration of applications (RFC 7591) to the operator',
  })
  clientRegistration: boolean;

  @Env('REPUTATION_DISABLES', {
    kind: 'flag',
    default: 'true',
    describe:
      'whether a project is disabled when too much of its mail bounces or is reported as spam; false only warns its owners',
  })
  reputationDisables: boolean;

  @Env('REPUTATION_CONFIRM_SECONDS', {
    kind: 'number',
    default: '120',
    min: 1,
    max: 86_400,
    describe:
      'seconds after which the verdict that disables a project must hold again, because events may be late',
  })
  reputationConfirmSeconds: number;

  @Env('SES_TOPIC_ARNS', {
    kind: 'text',
    optional: true,
    describe:
      'comma-separated ARNs of the Amazon SNS topics whose events of Amazon SES are accepted at /hooks/ses; none where it is not set',
  })
  sesTopicArns?: string;

  @Env('SNS_CERTIFICATE_FILE', {
    kind: 'text',
    optional: true,
    describe:
      'file with the signing certificate of Amazon SNS in PEM, for a gateway that cannot download it; otherwise the URL in the message is used, which must be of Amazon SNS',
  })
  snsCertificateFile?: string;

  @Env('POSTMARK_HOOK_SECRET', {
    kind: 'text',
    optional: true,
    secret: true,
    describe:
      'accepts webhooks of Postmark at /hooks/provider/postmark that carry this secret as the password of their address, or in X-Webhook-Secret',
  })
  postmarkHookSecret?: string;

  @Env('SENDGRID_HOOK_KEY', {
    kind: 'text',
    optional: true,
    describe:
      'verification key of the signed Event Webhook of SendGrid, which reports to /hooks/provider/sendgrid',
  })
  sendgridHookKey?: string;

  @Env('MAILGUN_HOOK_KEY', {
    kind: 'text',
    optional: true,
    secret: true,
    describe: 'HTTP webhook signing key of Mailgun, which reports to /hooks/provider/mailgun',
  })
  mailgunHookKey?: string;

  @Env('BREVO_HOOK_SECRET', {
    kind: 'text',
    optional: true,
    secret: true,
    describe:
      'accepts webhooks of Brevo at /hooks/provider/brevo that carry this token, as Bearer, as the password of HTTP Basic or in X-Webhook-Secret',
  })
  brevoHookSecret?: string;

  private origins?: string[];

  get sesTopics(): string[] {
    return this.sesTopicArns?.split(',').flatMap((arn) => arn.trim() || []) ?? [];
  }

  /** Lower case, as browsers send origins. */
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
