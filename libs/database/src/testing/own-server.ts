import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresOptions, type PostgresServer } from '@posthorn/dev';

export interface OwnServer {
  server: PostgresServer;
  /** For further data directories, that of the server is `primary`. */
  root: string;
  stop(): Promise<void>;
}

/** A server for a suite that changes it. */
export async function startOwnServer(settings: PostgresOptions['settings'] = {}): Promise<OwnServer> {
  const root = mkdtempSync(join(tmpdir(), 'posthorn-own-server-'));
  // As root, Postgres runs as another user, who must reach its folder.
  chmodSync(root, 0o755);
  const server = await startPostgres({ dataDirectory: join(root, 'primary'), settings });
  return {
    server,
    root,
    stop: async () => {
      await server.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
