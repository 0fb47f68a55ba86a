import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Backend {
  port: number;
  isReady(): Promise<boolean>;
}

export interface Balancer {
  port: number;
  url: string;
  refuse(): void;
  /** Call it after the backends have stopped, so that their last responses still reach clients. */
  stop(): Promise<void>;
}

/** Shorter than the time in which a draining gateway still accepts connections (DRAIN_MS). */
const checkEveryMs = 100;
const flushMs = 500;

/** Round robin over the ready gateways. If none is ready, all are tried, because an error response helps more than a refused connection. */
export async function startBalancer(
  backends: readonly Backend[],
  { host = '127.0.0.1', port = 0 },
): Promise<Balancer> {
  const balancing = new Balancing(backends);
  const server = createServer(
    { allowHalfOpen: true, pauseOnConnect: true },
    (client) => void balancing.serve(client),
  );
  server.listen(port, host);
  await once(server, 'listening');
  balancing.watchAll();
  const taken = (server.address() as AddressInfo).port;
  return {
    port: taken,
    url: `http://127.0.0.1:${taken}`,
    refuse: () => void server.close(),
    stop: async () => {
      server.close();
      await balancing.stop();
    },
  };
}

class Balancing {
  private readonly unready = new Set<Backend>();
  private readonly clients = new Set<Socket>();
  private readonly stopping = new AbortController();
  private watches: Promise<void>[] = [];
  private turn = 0;

  constructor(private readonly backends: readonly Backend[]) {}

  watchAll(): void {
    this.watches = this.backends.map((backend) => this.watch(backend));
  }

  async serve(client: Socket): Promise<void> {
    this.clients.add(client);
    client.on('error', () => undefined).once('close', () => this.clients.delete(client));
    const backend = await this.connectNext();
    if (backend === null) client.resetAndDestroy();
    else join(client, backend);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    const flushed = Promise.all(
      [...this.clients].map((client) => once(client, 'close').catch(() => undefined)),
    );
    await Promise.race([flushed, delay(flushMs)]);
    for (const client of this.clients) client.destroy();
    await Promise.all(this.watches);
  }

  private async connectNext(): Promise<Socket | null> {
    const from = this.turn++;
    const round = this.backends.map((_, index) => this.backends[(from + index) % this.backends.length]!);
    const ready = round.filter((backend) => !this.unready.has(backend));
    for (const backend of ready.length > 0
      ? [...ready, ...round.filter((each) => this.unready.has(each))]
      : round) {
      const socket = await connected(backend.port);
      if (socket) return socket;
    }
    return null;
  }

  private async watch(backend: Backend): Promise<void> {
    while (!this.stopping.signal.aborted) {
      if (await backend.isReady()) this.unready.delete(backend);
      else this.unready.add(backend);
      await delay(checkEveryMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }
}

function connected(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(null));
  });
}

/** Forwards bytes in both directions, an end as an end, and a reset as a reset after pending data. */
function join(client: Socket, backend: Socket): void {
  client.setNoDelay(true);
  for (const [from, to] of [
    [client, backend],
    [backend, client],
  ] as const) {
    from
      .on('error', () => undefined)
      .once('close', (broken: boolean) => (broken ? to.resetAndDestroy() : to.destroySoon()));
    if (from.destroyed) to.destroy();
    from.pipe(to);
  }
}
