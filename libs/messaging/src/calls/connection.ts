import { connect, type NatsConnection } from '@nats-io/transport-node';

/** NATS may be unavailable at any time; Postgres holds the truth (docs/guarantees.md §1.1). */
export class BusConnection {
  private up = true;
  private readonly lost: Set<() => void> = new Set();

  private constructor(readonly nats: NatsConnection) {
    void this.watch();
  }

  static async open({ url, name }: { url: string; name: string }): Promise<BusConnection> {
    const nats = await connect({
      servers: url,
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: false,
      timeout: 5_000,
      noAsyncTraces: true,
    });
    return new BusConnection(nats);
  }

  get connected(): boolean {
    return this.up && !this.nats.isClosed();
  }

  /** Calls `listener` once when the connection is lost; answers how to remove it. */
  onLost(listener: () => void): () => void {
    this.lost.add(listener);
    return () => this.lost.delete(listener);
  }

  async close(): Promise<void> {
    if (this.nats.isClosed()) return;
    // Draining would wait for a server that is not there.
    await (this.connected ? this.nats.drain() : this.nats.close()).catch(() => undefined);
  }

  private async watch(): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection' || status.type === 'close')
        this.fall();
      if (status.type === 'reconnect') this.up = true;
    }
    this.fall();
  }

  private fall(): void {
    this.up = false;
    for (const listener of [...this.lost]) listener();
    this.lost.clear();
  }
}
