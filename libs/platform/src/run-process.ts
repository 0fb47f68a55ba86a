import { setFlagsFromString } from 'node:v8';
import { NatsAway } from '@posthorn/messaging';
import { StartError, type Environment } from './config.js';
import { withSecretFiles } from './secret-files.js';

export interface Stoppable {
  stop(): Promise<void>;
  failed?: Promise<never>;
}

const endings = ['SIGTERM', 'SIGINT', 'disconnect'];
/** After a failure, what is waited for may never come. */
const failedStopMs = 30_000;

/** Over an IPC channel it also stops when the channel closes: nothing else would stop it. */
export async function runProcess(start: (environment: Environment) => Promise<Stoppable>): Promise<void> {
  // Node waits for its threads when it exits, and one that compiles may then wait for ever for a garbage
  // collection of the main thread (nodejs/node#54918).
  setFlagsFromString('--no-concurrent-sparkplug');
  let service: Stoppable | undefined;
  let stopping = false;
  const end = (code = 0) => {
    if (stopping) return;
    stopping = true;
    if (!service) process.exit(1);
    if (code > 0) setTimeout(() => process.exit(code), failedStopMs);
    service.stop().then(
      () => process.exit(code),
      (error: Error) => {
        console.error(error.stack);
        process.exit(1);
      },
    );
  };
  // Process 1 ignores signals without a handler, and one between two listeners is lost.
  for (const event of endings) process.on(event, () => end());
  try {
    service = await start(withSecretFiles(process.env));
    service.failed?.catch((error: unknown) => {
      console.error(explained(error));
      end(1);
    });
  } catch (error) {
    console.error(explained(error));
    process.exit(1);
  }
}

export async function runOnce(work: (environment: Environment) => Promise<void>): Promise<void> {
  try {
    await work(withSecretFiles(process.env));
  } catch (error) {
    console.error(explained(error));
    process.exitCode = 1;
  }
}

/** Errors with a known remedy are printed in one line, without a stack. */
function explained(error: unknown): string {
  if (error instanceof StartError || error instanceof NatsAway) return error.message;
  const { code = '', port, message, stack } = error as Error & { code?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port ?? ''} is in use: stop the process that uses it, or set PORT or ADMIN_PORT`;
  if (code === 'EACCES' && port !== undefined)
    return `port ${port} needs more rights: set PORT or ADMIN_PORT to a port above 1024`;
  if (code === 'EADDRNOTAVAIL')
    return `this machine has no such address (${message}): set HOST or ADMIN_HOST to one of its own`;
  if (unreachable.has(code))
    return `a server is not reachable (${message || code}): check DATABASE_URL and NATS_URL`;
  if (refusing.test(code)) return `the database refuses this start (${message}): check DATABASE_URL`;
  return stack ?? message;
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT']);
/** Wrong credentials, no such database, or no right to make one. */
const refusing = /^(28...|3D000|42501)$/;
