import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface AdminOptions {
  host: string;
  port: number;
  metrics: Registry;
  readiness: Readiness;
}

type Look = () => Promise<string | null> | string | null;

/** What a service waits for while it starts, and what it needs while it runs: a reason, or null where it is ready. */
export class Readiness {
  private look: Look = () => 'starting';

  become(look: Look): void {
    this.look = look;
  }

  async missing(): Promise<string | null> {
    return this.look();
  }
}

export interface AdminServer {
  port: number;
  close(): Promise<void>;
}

/** Endpoints for orchestrators, never on the public port (docs/api-decisions.md §14). */
export async function startAdminServer({
  host,
  port,
  metrics,
  readiness,
}: AdminOptions): Promise<AdminServer> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', response).catch((error: Error) => write(response, 503, error.message));
  });
  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    if (path === '/livez') return write(response, 200, 'ok');
    if (path === '/metrics') return write(response, 200, await metrics.metrics(), metrics.contentType);
    if (path !== '/readyz') return write(response, 404, 'not found');
    const missing = await readiness.missing();
    return missing === null ? write(response, 200, 'ready') : write(response, 503, missing);
  };
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function write(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type }).end(text.endsWith('\n') ? text : `${text}\n`);
}
