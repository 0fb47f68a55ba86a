import { ConfigError, type Environment } from './config.js';

export interface Stoppable {
  stop(): Promise<void>;
}

const endings = ['SIGTERM', 'SIGINT', 'disconnect'];

/**
 * Starts one service as a process of its own: SIGTERM drains and exits 0; a bad start says what to do and exits 1. Who was
 * started over a channel also ends when the other end of it is gone: nobody would stop it later.
 */
export async function runProcess(start: (environment: Environment) => Promise<Stoppable>): Promise<void> {
  let service: Stoppable | undefined;
  let stopping = false;
  const end = () => {
    if (stopping) return;
    stopping = true;
    if (!service) process.exit(1);
    service.stop().then(
      () => process.exit(0),
      (error: Error) => {
        console.error(error.stack);
        process.exit(1);
      },
    );
  };
  // Also during the start, as process 1 of a container does not hear what nobody listens to; and by one listener from then
  // on, as a signal that came just before its last listener left is lost.
  for (const event of endings) process.on(event, end);
  try {
    service = await start(process.env);
  } catch (error) {
    console.error(explained(error));
    process.exit(1);
  }
}

/** An error that a person can fix is printed without a stack. */
function explained(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, port, message, stack } = error as Error & { code?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port ?? ''} is taken: stop what listens there, or set another PORT or ADMIN_PORT`;
  if (code === 'ECONNREFUSED')
    return `a server does not answer (${message}): look at DATABASE_URL and NATS_URL`;
  return stack ?? message;
}
