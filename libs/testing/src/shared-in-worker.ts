import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestNats } from './test-servers.js';

interface Suite {
  nats: TestNats;
  stop(): Promise<void>;
}

/** jest-worker's message that asks its process to end, which a running service would keep from it. */
const endOfWorker = 2;

/**
 * What `start` makes is made once for all suites of a Jest worker; their projects keep them apart. Its database ends with the
 * runner's Postgres, its NATS server is ended by the runner. Without a worker nothing would end it: then each suite has its own.
 */
export function sharedInWorker<S extends Suite>(start: () => Promise<S>): () => Promise<S> {
  const directory = process.env['POSTHORN_TEST_SHARED'];
  if (!process.send || !directory) return start;
  let running: Promise<S> | undefined;
  const begin = async () => {
    const suite = await start();
    writeFileSync(join(directory, String(suite.nats.pid)), suite.nats.dataDirectory);
    process.on('message', ([kind]: [number]) => kind === endOfWorker && process.exit());
    return { ...suite, stop: () => Promise.resolve() };
  };
  return () =>
    (running ??= begin().catch((error: unknown) => {
      running = undefined;
      throw error;
    }));
}
