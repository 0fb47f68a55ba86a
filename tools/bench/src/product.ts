import { setTimeout as delay } from 'node:timers/promises';
import { ServiceProcess } from '@posthorn/dev';
import { makeSendingProject } from '@posthorn/testing';
import { inDatabase, databaseOf } from './databases.js';
import { untilAnswers } from './processes.js';
import { residentMegabytes } from './resident.js';

export interface Servers {
  databaseUrl: string;
  natsUrl: string;
  smtpUrl: string;
}

const services = ['sending', 'contacts', 'campaigns', 'workflows', 'analytics', 'gateway'] as const;
/** Requests a second of the bench's key: about twice what is reached, so that the limiter counts as it would for a large customer. */
export const benchLimit = 6_000;
export const benchSecret = 'a-secret-for-the-bench-0123456789-0123456789';

export type Counts = Record<'emails' | 'facts' | 'contacts' | 'counted', number>;

/** The services as the containers run them: one process each. Limiter, relay and consumers are on. */
export class Product {
  private readonly running = new Map<string, ServiceProcess>();
  url = '';
  token = '';

  private constructor(private readonly servers: Servers) {}

  static async start(
    servers: Servers,
    changes: Record<string, string> = {},
    replicas: { sending?: number; gateway?: number } = {},
  ): Promise<Product> {
    const product = new Product(servers);
    const doubled = (['sending', 'gateway'] as const).filter((service) => (replicas[service] ?? 1) > 1);
    const second = doubled.map((service) => product.run(service, changes, 2));
    await Promise.all([...services.map((service) => product.run(service, changes)), ...second]);
    await untilAnswers(`${product.url}/healthz`);
    product.token = (await makeSendingProject(servers.natsUrl, 'bench', benchLimit)).token;
    return product;
  }

  async restart(
    service: (typeof services)[number],
    changes: Record<string, string>,
    replica = 1,
  ): Promise<void> {
    await this.running.get(`${service}-${replica}`)?.restart({ DELIVERY_PAUSED: 'false', ...changes });
  }

  /** Of those that started with the product. */
  get gatewayUrls(): string[] {
    return [1, 2].flatMap((replica) => this.running.get(`gateway-${replica}`)?.url ?? []);
  }

  /** One more gateway, set up otherwise; returns its URL. */
  async addGateway(changes: Record<string, string>, replica: number): Promise<string> {
    await this.run('gateway', changes, replica);
    return this.running.get(`gateway-${replica}`)!.url;
  }

  pidOf(service: (typeof services)[number]): number {
    return this.running.get(`${service}-1`)!.pid;
  }

  megabytesOf(service: (typeof services)[number]): number {
    return residentMegabytes(this.pidOf(service));
  }

  /** Of every service. */
  megabytes(): Record<string, number> {
    return Object.fromEntries(services.map((service) => [service, this.megabytesOf(service)]));
  }

  async stop(): Promise<void> {
    const gatewaysFirst = [...this.running.values()].sort(
      (a, b) => Number(b.service === 'gateway') - Number(a.service === 'gateway'),
    );
    for (const process of gatewaysFirst) await process.stop();
  }

  /** Messages that are not handed over yet. */
  waiting(): Promise<number> {
    return Product.waitingAt(this.servers);
  }

  async drained(): Promise<void> {
    while ((await this.waiting()) > 0) await delay(200);
  }

  static async waitingAt(servers: Servers): Promise<number> {
    const left = `SELECT count(*)::int AS n FROM deliveries WHERE state IN ('QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS')`;
    const [waiting] = await request(servers, 'sending', [left]);
    return waiting!;
  }

  /** The rows at the end must agree: nothing was measured that was not done. */
  static async countsAt(servers: Servers): Promise<Counts> {
    const [emails, events] = await request(servers, 'sending', [
      `SELECT count(*)::int AS n FROM emails WHERE status <> 'VOIDED'`,
      `SELECT coalesce(sum(jsonb_array_length(items)), 0)::int AS n FROM outbox WHERE fact = 'sending.email.accepted'`,
    ]);
    const [contacts] = await request(servers, 'contacts', [`SELECT count(*)::int AS n FROM contacts`]);
    const [counted] = await request(servers, 'analytics', [
      `SELECT coalesce(sum(emails), 0)::int AS n FROM daily_counts`,
    ]);
    return { emails: emails!, facts: events!, contacts: contacts!, counted: counted! };
  }

  private async run(
    service: (typeof services)[number],
    changes: Record<string, string>,
    replica = 1,
  ): Promise<void> {
    const { databaseUrl, natsUrl, smtpUrl } = this.servers;
    const environment = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      SMTP_URL: smtpUrl,
      POSTHORN_SECRET_KEY: benchSecret,
      SENDING_RATE_PER_SECOND: '0',
      LOG_LEVEL: 'error',
      ...changes,
    };
    const started = await ServiceProcess.start({ service, environment, detached: false });
    this.running.set(`${service}-${replica}`, started);
    if (service === 'gateway' && replica === 1) this.url = started.url;
  }
}

function request({ databaseUrl }: Servers, service: string, statements: string[]): Promise<number[]> {
  return inDatabase(databaseOf(databaseUrl, service), async (client) => {
    const numbers: number[] = [];
    for (const sql of statements) numbers.push((await client.query<{ n: number }>(sql)).rows[0]!.n);
    return numbers;
  });
}
