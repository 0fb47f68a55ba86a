import type { Server } from 'node:net';

/** Resolves once the port is open; what keeps it shut is thrown. */
export function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
