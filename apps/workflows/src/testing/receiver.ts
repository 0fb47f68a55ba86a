import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  afterMs?: number;
  until?: Promise<void>;
  /** It never answers. */
  hangs?: boolean;
}

/** A server that webhooks call; it remembers what it got. */
export class Receiver {
  readonly received: Received[] = [];
  answer: (received: Received) => Answer = () => ({});
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const received = {
          method: request.method!,
          path: request.url!,
          headers: plain(request.headers),
          body: Buffer.concat(chunks).toString('utf8'),
        };
        this.received.push(received);
        this.respond(response, this.answer(received));
      });
    });
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((open) => receiver.server.listen(0, '127.0.0.1', open));
    return receiver;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  on(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private respond(
    response: ServerResponse,
    { status = 200, headers = {}, body = 'ok', afterMs = 0, until, hangs }: Answer,
  ): void {
    if (hangs) return;
    const write = () => response.writeHead(status, headers).end(body);
    if (until) void until.then(write);
    else setTimeout(write, afterMs);
  }
}

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
