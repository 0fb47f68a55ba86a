import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { ProxyRanges } from './proxy-ranges.js';

/** Whose connection it is: the peer of the socket, or the client that a balancer names. */
export type Client = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** Behind balancers that say in a first line whom they speak for (version 1 of the PROXY protocol). */
export class ProxiedSmtpServer extends SMTPServer {
  constructor(
    options: SMTPServerOptions,
    private readonly balancers: ProxyRanges,
    /** False where it has ended the connection. */
    private readonly begin: (socket: Socket, client: Client) => boolean,
  ) {
    super(options);
  }

  // The option of the library takes addresses only, and a balancer of many machines has a range.
  override _expectsProxyHeader(socket: Socket): boolean {
    return this.balancers.has(socket.remoteAddress);
  }

  override connect(...[socket, options]: Parameters<SMTPServer['connect']>): void {
    const client = {
      remoteAddress: options?.remoteAddress ?? socket.remoteAddress,
      remotePort: Number(options?.remotePort ?? socket.remotePort),
    };
    if (this.begin(socket, client)) super.connect(socket, options);
  }
}
