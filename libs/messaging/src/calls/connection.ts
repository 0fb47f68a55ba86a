import { Logger } from '@nestjs/common';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { usualStreams, type StreamSettings } from '../events/stream-settings.js';
import { firstConnection, NatsAway, type Patience } from './first-connection.js';
import { leave } from './leave.js';
import { readNatsUrl, type NatsServers } from './nats-servers.js';
import { inboxPrefixOf, rememberInboxPrefix } from './inboxes.js';
import { currentService } from '../outages/service-context.js';

/** Read again for each connection, so that a certificate can be replaced. */
export interface NatsCertificates {
  caFile?: string | undefined;
  certFile?: string | undefined;
  keyFile?: string | undefined;
}

export interface BusOptions {
  /** As in NATS_URL. */
  url: string;
  name: string;
  certificates?: NatsCertificates;
  streams?: StreamSettings;
  /** Without it, servers that do not answer are an error at once. */
  patience?: Patience;
}

/** Of one server a busy process may be slow to answer; where there are several, the next one is worth a try. */
const answerWithinMs = { alone: 20_000, ofSeveral: 5_000 };
/** A server that vanished is given up after three of these. */
const pingEveryMs = 10_000;

/** NATS may be unavailable at any time; Postgres holds the truth (docs/guarantees.md §1.1). */
export class BusConnection {
  private readonly log = new Logger('Bus');
  private up = true;
  private closing = false;
  private readonly lost: Set<() => void> = new Set();

  private constructor(
    readonly nats: NatsConnection,
    readonly streams: StreamSettings,
    private readonly server: string,
  ) {
    void this.watch();
  }

  static async open(options: BusOptions): Promise<BusConnection> {
    const { streams = usualStreams, patience = { forMs: 0 } } = options;
    const servers = readNatsUrl(options.url);
    const inboxPrefix = servers.user ? inboxPrefixOf(servers.user) : undefined;
    const nats = await firstConnection(connectionOptions(servers, options, inboxPrefix), patience);
    if (inboxPrefix) rememberInboxPrefix(nats, inboxPrefix);
    if (streams.replicas > 1 && !nats.info?.cluster) {
      await nats.close();
      throw new NatsAway(
        `NATS_REPLICAS=${streams.replicas} needs a cluster, and ${servers.hosts.join(', ')} is none`,
      );
    }
    return new BusConnection(nats, streams, `NATS at ${servers.hosts.join(', ')}`);
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
    if (canDrain) await leave(this.nats, this.nats.drain());
    await this.nats.close().catch(() => undefined);
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

function connectionOptions(
  { hosts, isEncrypted, user, password }: NatsServers,
  { name, certificates = {} }: BusOptions,
  inboxPrefix: string | undefined,
): NodeConnectionOptions & { servers: string[] } {
  return {
    servers: hosts,
    ...(user ? { user, pass: password, inboxPrefix } : {}),
    // Without this, it would talk to a server that offers no TLS.
    ...(isEncrypted ? { tls: filesOf(certificates) } : {}),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: false,
    // By default two refusals in a row would end the connection for good, also those of a busy moment.
    ignoreAuthErrorAbort: true,
    timeout: hosts.length > 1 ? answerWithinMs.ofSeveral : answerWithinMs.alone,
    pingInterval: pingEveryMs,
    noAsyncTraces: true,
  };
}

const filesOf = ({ caFile, certFile, keyFile }: NatsCertificates) => ({
  ...(caFile ? { caFile } : {}),
  ...(certFile ? { certFile } : {}),
  ...(keyFile ? { keyFile } : {}),
});
