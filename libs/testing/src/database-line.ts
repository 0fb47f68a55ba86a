import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { reset } from './reset.js';

/** A connection to a database that a test can cut or hold, at the price of a detour for every byte. */
export class DatabaseLine {
  private readonly sockets = new Set<Socket>();
  private state: 'open' | 'cut' | 'held' = 'open';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(target: string): Promise<DatabaseLine> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(target);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const line = new DatabaseLine(server, url.toString());
    server.on('connection', (near) => line.carry(near, connect(Number(port), hostname)));
    return line;
  }

  /** Leads straight to the database, for suites that break nothing. */
  static straight(target: string): DatabaseLine {
    return new DatabaseLine(createServer(), target);
  }

  /** Existing and new connections are reset. */
  cut(): void {
    this.refuseStraight();
    this.state = 'cut';
    for (const socket of this.sockets) reset(socket);
  }

  /** Connections stay open, but nothing arrives. */
  hold(): void {
    this.refuseStraight();
    this.state = 'held';
    for (const socket of this.sockets) socket.pause();
  }

  fix(): void {
    this.state = 'open';
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private refuseStraight(): void {
    if (!this.server.listening) throw new Error('start this suite with { breakable: true }');
  }

  private carry(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.on('data', (bytes) => void to.write(bytes));
      if (this.state === 'held') from.pause();
    }
    if (this.state === 'cut') reset(near);
  }
}
