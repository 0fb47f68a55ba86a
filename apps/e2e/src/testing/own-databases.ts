import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionDatabase } from '@posthorn/database';
import { chooseQuietPort, startableServices, startPostgres, type PostgresServer } from '@posthorn/dev';
import { mode } from './running-posthorn.js';

const all = 'all';
const secretKey = 'a-secret-that-only-the-tests-know-0123456789';

/** External Postgres: one server for all services, or one per service depending on the mode. */
export class OwnDatabases {
  private readonly root = mkdtempSync(join(tmpdir(), 'posthorn-databases-'));
  private readonly servers = new Map<string, PostgresServer>();
  /** Settings of `npm start` and `npm run start:services` to use them. */
  environment: Record<string, string> = {};

  static async start(): Promise<OwnDatabases> {
    const databases = new OwnDatabases();
    chmodSync(databases.root, 0o755);
    const names = mode === 'separate' ? startableServices() : [all];
    await Promise.all(names.map((name) => databases.run(name)));
    databases.environment = Object.fromEntries(
      await Promise.all(names.map((name) => databases.variableOf(name))),
    );
    return databases;
  }

  /** The server's own account on the server of this service. */
  adminUrlOf(service: string): string {
    return (this.servers.get(service) ?? this.servers.get(all)!).url;
  }

  async goAway(): Promise<void> {
    await Promise.all([...this.servers.values()].map((server) => server.stop()));
  }

  /** On the same ports. */
  async comeBack(): Promise<void> {
    await Promise.all([...this.servers].map(([name, { port }]) => this.run(name, port)));
  }

  async remove(): Promise<void> {
    await this.goAway();
    rmSync(this.root, { recursive: true, force: true });
  }

  private async run(name: string, known?: number): Promise<void> {
    const port = known ?? (await chooseQuietPort());
    this.servers.set(name, await startPostgres({ dataDirectory: join(this.root, name), port }));
  }

  private async variableOf(name: string): Promise<[string, string]> {
    const adminUrl = this.adminUrlOf(name);
    if (name === all) return ['DATABASE_URL', adminUrl];
    return [
      `${name.toUpperCase()}_DATABASE_URL`,
      await provisionDatabase({ adminUrl, service: name, secretKey }),
    ];
  }
}
