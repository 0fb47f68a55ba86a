import { SupervisedServer, type EmbeddedServer, type Say } from '@posthorn/dev';
import type { DataDirectory, ServersFile } from './data-directory.js';
import type { Started } from './started.js';

export class EmbeddedServers {
  /** Rejects when one of them is given up. */
  readonly failed: Promise<never>;
  private readonly servers: SupervisedServer[] = [];
  private addresses: Pick<ServersFile, 'natsUrl' | 'databaseUrls'> | null = null;
  private fail!: (error: unknown) => void;

  constructor(
    private readonly directory: DataDirectory,
    private readonly report: Say,
    private readonly started: Started,
  ) {
    this.failed = new Promise((_, reject) => (this.fail = reject));
    this.failed.catch(() => undefined);
  }

  /** Returns the URL, which stays the same over restarts. */
  async start(
    name: string,
    start: (port: number | undefined, report: Say) => Promise<EmbeddedServer>,
  ): Promise<string> {
    const { report } = this;
    const server = await SupervisedServer.start({
      name,
      report,
      start: (port) => start(port, report),
      onRestart: () => this.write(),
    });
    this.started.add(() => server.stop());
    this.servers.push(server);
    server.failed.catch(this.fail);
    return server.url;
  }

  publish(addresses: Pick<ServersFile, 'natsUrl' | 'databaseUrls'>): void {
    this.addresses = addresses;
    this.write();
  }

  private write(): void {
    if (!this.addresses) return;
    const processes = this.servers.map(({ name, pid }) => ({ name, pid }));
    this.directory.writeServersFile({ ...this.addresses, processes });
  }
}
