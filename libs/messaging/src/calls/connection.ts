import { Logger } from '@nestjs/common';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf, rememberInboxPrefix } from './inboxes.js';
import { currentService } from '../outages/service-context.js';

/** NATS may be unavailable at any time; Postgres holds the truth (docs/guarantees.md §1.1). */
export class BusConnection {
  private readonly log = new Logger('Bus');
  private up = true;
  private closing = false;
  private readonly lost: Set<() => void> = new Set();

  private constructor(
    readonly nats: NatsConnection,
    private readonly server: string,
  ) {
    void this.watch();
  }

  static async open({ url, name }: { url: string; name: string }): Promise<BusConnection> {
    const { host, username, password } = new URL(url);
    const user = decodeURIComponent(username);
    const inboxPrefix = user ? inboxPrefixOf(user) : undefined;
    const nats = await connect({
      servers: host,
      ...(user ? { user, pass: decodeURIComponent(password), inboxPrefix } : {}),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: false,
      // By default two refusals in a row would end the connection for good, also those of a busy moment.
      ignoreAuthErrorAbort: true,
      timeout: 20_000,
      noAsyncTraces: true,
    });
    if (inboxPrefix) rememberInboxPrefix(nats, inboxPrefix);
    return new BusConnection(nats, `NATS at ${host}`);
  }

  /** False from the beginning of `close`, when publishing begins to throw. */
  get connected(): boolean {
    return this.up && !this.closing && !this.nats.isClosed();
  }

  onLost(listener: () => void): () => void {
    this.lost.add(listener);
    return () => this.lost.delete(listener);
  }

  async close(): Promise<void> {
    if (this.nats.isClosed()) return;
    // Draining would wait for a server that is not there.
    const canDrain = this.connected;
    this.closing = true;
    await (canDrain ? this.nats.drain() : this.nats.close()).catch(() => undefined);
  }

  private async watch(): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection' || status.type === 'close')
        this.handleLoss();
      if (status.type === 'reconnect') this.handleReturn();
      if (status.type === 'error') this.log.error(`NATS refuses: ${status.error.message}`);
    }
    this.handleLoss();
  }

  private handleLoss(): void {
    this.up = false;
    if (this.closing) currentService()?.endBusOutage(this.server);
    else currentService()?.busLost(this.server);
    for (const listener of [...this.lost]) listener();
    this.lost.clear();
  }

  private handleReturn(): void {
    this.up = true;
    currentService()?.endBusOutage(this.server);
  }
}
