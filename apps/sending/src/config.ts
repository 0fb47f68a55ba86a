import { maxScheduleDays, type Region } from '@posthorn/contracts';
import { Env } from '@posthorn/platform';
import { allowedHeadersProblem } from './accepting/control-headers.js';
import { PaceConfig } from './pacing/pace-config.js';
import { rangesProblem } from './return-path/proxy-ranges.js';

/** Scheduled mail waits this long, and then some days more where the mail server refuses it for now. */
const fewestDays = maxScheduleDays + 3;

export type AmbiguousPolicy = 'resend' | 'hold';

export class SendingConfig extends PaceConfig {
  @Env('SMTP_URL', {
    kind: 'url',
    default: 'smtp://127.0.0.1:1025',
    secret: true,
    describe:
      'the mail server that takes the mail: smtp://user:password@host:587, smtps://host:465, ?starttls=required',
  })
  smtpUrl: string;

  @Env('SANDBOX_DOMAIN', {
    kind: 'text',
    default: 'sandbox.test',
    describe: 'domain of the address that a project sends from in TEST mode',
  })
  sandboxDomain: string;

  @Env('SENDING_PROVIDER', {
    kind: 'choice',
    choices: ['smtp', 'capture'],
    default: 'smtp',
    describe: 'smtp for a real mail server, capture for the development inbox',
  })
  providerKind: 'smtp' | 'capture';

  @Env('SMTP_CONNECTIONS', {
    kind: 'number',
    default: '16',
    min: 1,
    max: 200,
    describe:
      'connections to the mail server that one process opens; a crash repeats about as many messages at most',
  })
  connections: number;

  @Env('SMTP_ACCEPT_IS_DELIVERY', {
    kind: 'flag',
    default: 'true',
    describe:
      'whether a message counts as DELIVERED once the mail server accepts it; false where the provider reports deliveries',
  })
  acceptIsDelivery: boolean;

  @Env('SIMULATOR', {
    kind: 'flag',
    default: 'false',
    describe:
      'whether mail of LIVE keys to the addresses of simulator.posthorn.test is simulated, too; mail of TEST keys always is. npm start sets true',
  })
  simulator: boolean;

  @Env('ALLOWED_CONTROL_HEADERS', {
    kind: 'text',
    default: '',
    check: allowedHeadersProblem,
    describe:
      'comma-separated names of headers that control the mail server of the provider, such as X-PM-Message-Stream, that callers may set nevertheless; such a header can add recipients that Posthorn does not check',
  })
  allowedControlHeaders: string;

  @Env('RETURN_PATH_DOMAIN', {
    kind: 'text',
    optional: true,
    describe: 'domain of the return path; the domain of the sender where it is not set',
  })
  returnPathDomain?: string;

  @Env('LEASE_SECONDS', {
    kind: 'number',
    default: '30',
    min: 2,
    max: 600,
    describe:
      'after how many seconds the messages of a dead process are claimed by another one; what was in hand-off then waits for AMBIGUOUS_SECONDS',
  })
  leaseSeconds: number;

  @Env('AMBIGUOUS_SECONDS', {
    kind: 'number',
    default: '120',
    min: 1,
    describe: 'seconds before a transactional message with an unknown outcome is resolved',
  })
  ambiguousSeconds: number;

  @Env('AMBIGUOUS_MARKETING_SECONDS', {
    kind: 'number',
    default: '900',
    min: 1,
    describe: 'the same for marketing mail, and for all mail of campaigns',
  })
  ambiguousMarketingSeconds: number;

  @Env('AMBIGUOUS_POLICY', {
    kind: 'choice',
    choices: ['resend', 'hold'],
    default: 'resend',
    describe:
      'what then happens to a transactional message: resend sends it once more, hold does not, and it fails as delivery_unconfirmed',
  })
  ambiguousPolicy: AmbiguousPolicy;

  @Env('AMBIGUOUS_MARKETING_POLICY', {
    kind: 'choice',
    choices: ['resend', 'hold'],
    default: 'hold',
    describe: 'the same for marketing mail, and for all mail of campaigns',
  })
  ambiguousMarketingPolicy: AmbiguousPolicy;

  @Env('OUTAGE_HOLD_HOURS', {
    kind: 'number',
    default: '6',
    min: 1,
    max: 8_760,
    describe:
      'after so many hours without a running sending service, or on a restored database, overdue mail is held until an operator releases or drops it',
  })
  outageHoldHours: number;

  @Env('DELIVERY_PAUSED', {
    kind: 'flag',
    default: 'false',
    describe:
      'accept mail but hand nothing over, for maintenance and measurements; what waits for more than a day fails',
  })
  deliveryPaused: boolean;

  @Env('RETENTION_CONTENTS_DAYS', {
    kind: 'number',
    default: String(fewestDays),
    min: fewestDays,
    max: 3650,
    describe:
      'days that the contents of e-mails are kept; three more than mail can be scheduled ahead, or longer',
  })
  contentsDays: number;

  @Env('RETENTION_EMAILS_DAYS', {
    kind: 'number',
    default: '400',
    min: fewestDays,
    max: 3650,
    describe:
      'days that e-mails and their events are kept; three more than mail can be scheduled ahead, or longer',
  })
  emailsDays: number;

  @Env('PUBLIC_URL', {
    kind: 'url',
    default: 'http://localhost:3000',
    describe:
      'how readers reach the gateway: links of mail begin with it, and tracking hosts of domains point to its host',
  })
  publicUrl: string;

  @Env('DNS_SERVERS', {
    kind: 'text',
    optional: true,
    describe:
      'resolvers that domains are checked with, such as 127.0.0.1:5353, separated by commas; those of the machine where it is not set',
  })
  dnsServers?: string;

  @Env('DNS_TIMEOUT_MS', {
    kind: 'number',
    default: '1500',
    min: 50,
    max: 10_000,
    describe: 'milliseconds that a resolver may take for its first answer; it is queried twice',
  })
  dnsTimeoutMs: number;

  @Env('MAIL_HOST', {
    kind: 'text',
    optional: true,
    describe:
      'host that takes bounces and incoming mail; without it domains have no return path of their own',
  })
  mailHost?: string;

  @Env('INBOUND_PORT', {
    kind: 'number',
    optional: true,
    max: 65_535,
    describe:
      'port of the SMTP server that takes bounces and complaints, 25 for the Internet; 0 picks a free port; none where it is not set. npm start sets 2525',
  })
  inboundPort?: number;

  @Env('INBOUND_HOST', {
    kind: 'text',
    default: '127.0.0.1',
    describe: 'address that this SMTP server listens on; 0.0.0.0 in a container',
  })
  inboundHost: string;

  @Env('INBOUND_PROXY_PROTOCOL', {
    kind: 'text',
    optional: true,
    check: rangesProblem,
    describe:
      'comma-separated addresses or CIDR ranges of balancers before this SMTP server that begin each connection with the line of the PROXY protocol (version 1); nobody else may',
  })
  inboundProxies?: string;

  @Env('MAIL_TLS_CERT', {
    kind: 'text',
    optional: true,
    describe:
      'file with the certificate of MAIL_HOST in PEM, read again when it changes; without it that SMTP server offers no STARTTLS',
  })
  mailTlsCert?: string;

  @Env('MAIL_TLS_KEY', {
    kind: 'text',
    optional: true,
    describe: 'file with the key of this certificate in PEM',
  })
  mailTlsKey?: string;

  @Env('SPF_INCLUDE', {
    kind: 'text',
    optional: true,
    describe:
      'name whose SPF record lists the servers that mail leaves from; MAIL_HOST itself where it is not set',
  })
  spfInclude?: string;

  @Env('SENDING_REGION', {
    kind: 'choice',
    choices: ['us-east-1', 'us-west-2', 'eu-west-1'],
    default: 'us-east-1',
    describe: 'region of a project whose first domain names none',
  })
  region: Region;

  @Env('DEV_VERIFIED_DOMAINS', {
    kind: 'text',
    default: '',
    describe:
      'domains that are verified at once when they are added, and what lies beneath them; for development',
  })
  devVerifiedDomains: string;
}
