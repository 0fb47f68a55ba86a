import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames, type ServiceName } from '@posthorn/contracts';
import { provisionDatabase } from '@posthorn/database';
import { ownUrl, secretKeysIn, StartError, type Environment } from '@posthorn/platform';
import pg from 'pg';

export type DatabaseUrls = ReadonlyMap<ServiceName, string>;

/** Where the databases of an installation are, whether it runs or not. */
export class Installation {
  constructor(
    readonly environment: Environment,
    private readonly progress: (line: string) => void,
  ) {}

  private get directory(): string {
    return this.environment['POSTHORN_DATA_DIR'] ?? '.posthorn';
  }

  /** Of the first key: a copy is read only with the keys that sealed it, and this says so before anything is restored. */
  secretMark(): string {
    return createHmac('sha256', this.secretKey()).update('posthorn backup').digest('hex').slice(0, 16);
  }

  /** With the packaged server, which is started where it does not run, on the data of `npm start`. `urlsAt` says which accounts read there. */
  private async withDatabases<T>(
    urlsAt: (adminUrl: string) => Promise<DatabaseUrls>,
    work: (urls: DatabaseUrls) => Promise<T>,
  ): Promise<T> {
    const own = serviceNames.map((service) => ownUrl('DATABASE', service, this));
    if (own.every((url) => url !== undefined)) return work(this.urlsOf(own as string[]));
    const configured = this.environment['DATABASE_URL'];
    if (configured) return work(await urlsAt(configured));
    const running = await this.running();
    if (running) return work(running.length === 1 ? await urlsAt(running[0]!) : this.named(running));
    this.progress(`starting the packaged PostgreSQL on ${join(this.directory, 'postgres')}`);
    // Loaded here, because the image does not hold it: there, the databases are always somewhere else.
    const { startPostgres } = await import('@posthorn/dev');
    const server = await startPostgres({ dataDirectory: join(this.directory, 'postgres') });
    try {
      return await work(await urlsAt(server.url));
    } finally {
      await server.stop();
    }
  }

  /** By the account of the server: nothing is made or changed. */
  reading<T>(work: (urls: DatabaseUrls) => Promise<T>): Promise<T> {
    return this.withDatabases(
      async (adminUrl) =>
        this.urlsOf(
          serviceNames.map(
            (service) =>
              ownUrl('DATABASE', service, this) ??
              Object.assign(new URL(adminUrl), { pathname: `/posthorn_${service}` }).href,
          ),
        ),
      work,
    );
  }

  /** By the accounts of the services, which are made where they are missing. */
  making<T>(work: (urls: DatabaseUrls) => Promise<T>): Promise<T> {
    return this.withDatabases((adminUrl) => this.provisioned(adminUrl), work);
  }

  private urlsOf(urls: readonly string[]): DatabaseUrls {
    return new Map(serviceNames.map((service, index) => [service, urls[index]!]));
  }

  private async provisioned(adminUrl: string): Promise<DatabaseUrls> {
    const secretKey = this.secretKey();
    const urls = new Map<ServiceName, string>();
    for (const service of serviceNames)
      urls.set(
        service,
        ownUrl('DATABASE', service, this) ?? (await provisionDatabase({ adminUrl, service, secretKey })),
      );
    return urls;
  }

  /** Where the databases are of a product that runs here. */
  private async running(): Promise<string[] | null> {
    const file = join(this.directory, 'servers.json');
    if (!existsSync(file)) return null;
    const { databaseUrls } = JSON.parse(readFileSync(file, 'utf8')) as { databaseUrls: string[] };
    return (await answers(databaseUrls[0]!)) ? databaseUrls : null;
  }

  /** One server each, whose URLs name the databases. */
  private named(urls: readonly string[]): DatabaseUrls {
    return new Map(
      serviceNames.map((service) => [
        service,
        urls.find((url) => new URL(url).pathname === `/posthorn_${service}`)!,
      ]),
    );
  }

  private secretKey(): string {
    const file = join(this.directory, 'secret.key');
    const ring = this.environment['POSTHORN_SECRET_KEY'] ?? (existsSync(file) && readFileSync(file, 'utf8'));
    if (!ring)
      throw new StartError(
        `the secret key of the installation is needed: set POSTHORN_SECRET_KEY, or copy its secret.key to ${file}`,
      );
    return secretKeysIn(ring.trim())[0]!;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
