import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The address of whichever server is the primary, as an operator's service or a proxy gives it. */
export class MovingAddress {
  private readonly sockets = new Set<Socket>();
  private target: number | null = null;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<MovingAddress> {
    const server = createServer();
    const address = new MovingAddress(server);
    server.on('connection', (near) => address.carry(near));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return address;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Null: nobody answers. Connections to the server before are reset. */
  lead(port: number | null): void {
    this.target = port;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.lead(null);
    await new Promise((resolve) => this.server.close(resolve));
  }

  private carry(near: Socket): void {
    if (this.target === null) return void near.on('error', () => undefined).destroy();
    const far = connect(this.target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  }
}
