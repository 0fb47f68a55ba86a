import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceProcess } from '@posthorn/dev';
import { makeSendingProject } from '@posthorn/testing';
import { databaseOf, inDatabase } from './databases.js';
import { cpuSeconds, Process, residentMegabytes, untilAnswers } from './processes.js';

export interface Servers {
  databaseUrl: string;
  natsUrl: string;
  smtpUrl: string;
}

const services = ['sending', 'contacts', 'campaigns', 'workflows', 'analytics', 'gateway'] as const;
/** Requests a second of the bench's key: about twice what is reached, so that the limiter counts as it would for a large customer. */
export const benchLimit = 6_000;
export const benchSecret = 'a-secret-for-the-bench-0123456789-0123456789';

export const environmentFor = (
  { databaseUrl, natsUrl, smtpUrl }: Servers,
  changes: Record<string, string>,
): NodeJS.ProcessEnv => ({
  ...process.env,
  DATABASE_URL: databaseUrl,
  NATS_URL: natsUrl,
  SMTP_URL: smtpUrl,
  POSTHORN_SECRET_KEY: benchSecret,
  SENDING_RATE_PER_SECOND: '0',
  LOG_LEVEL: 'error',
  ...changes,
});

type Counts = Record<'emails' | 'events' | 'contacts' | 'counted', number>;

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

  /** Starts it, works with it and stops it, whatever happens. */
  static async during(
    servers: Servers,
    changes: Record<string, string>,
    work: (product: Product) => Promise<void>,
    replicas: { sending?: number; gateway?: number } = {},
  ): Promise<void> {
    const product = await Product.start(servers, changes, replicas);
    await work(product).finally(() => product.stop());
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

  megabytesOf(service: (typeof services)[number]): number {
    return residentMegabytes(this.running.get(`${service}-1`)!.pid);
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
      `SELECT coalesce(sum(jsonb_array_length(items)), 0)::int AS n FROM outbox WHERE event_name = 'sending.email.accepted'`,
    ]);
    const [contacts] = await request(servers, 'contacts', [`SELECT count(*)::int AS n FROM contacts`]);
    const [counted] = await request(servers, 'analytics', [
      `SELECT coalesce(sum(accepted), 0)::int AS n FROM (SELECT accepted, delivered FROM mail_counts WHERE kind = 'all' AND NOT hourly UNION ALL SELECT accepted, delivered FROM mail_count_deltas WHERE kind = 'all' AND live) AS counts`,
    ]);
    return { emails: emails!, events: events!, contacts: contacts!, counted: counted! };
  }

  private async run(
    service: (typeof services)[number],
    changes: Record<string, string>,
    replica = 1,
  ): Promise<void> {
    const environment = environmentFor(this.servers, changes);
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

/** `npm start` on given servers: every service in one process. */
export class OneProcess {
  private constructor(
    private readonly process: Process,
    private readonly root: string,
  ) {}

  static async start(
    { databaseUrl, natsUrl, smtpUrl }: Servers,
    changes: Record<string, string> = {},
  ): Promise<OneProcess> {
    const root = mkdtempSync(join(tmpdir(), 'posthorn-one-'));
    chmodSync(root, 0o755);
    const process = Process.run('apps/all-in-one/src/main.js', {
      POSTHORN_DATA_DIR: join(root, 'data'),
      PORT: '0',
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      SMTP_URL: smtpUrl,
      POSTHORN_SECRET_KEY: benchSecret,
      SENDING_RATE_PER_SECOND: '0',
      ...changes,
    });
    await process.untilOutput('is ready after');
    return new OneProcess(process, root);
  }

  get url(): string {
    return (JSON.parse(readFileSync(join(this.root, 'data', 'dev.json'), 'utf8')) as { baseUrl: string })
      .baseUrl;
  }

  get megabytes(): number {
    return residentMegabytes(this.process.child.pid!);
  }

  /** Since its start, in user and kernel mode. */
  get cpuSeconds(): number {
    return cpuSeconds(this.process.child.pid!);
  }

  async stop(): Promise<void> {
    await this.process.stop();
    rmSync(this.root, { recursive: true, force: true });
  }
}
