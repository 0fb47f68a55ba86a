import { ConfigError, type Environment } from './config.js';

export interface Stoppable {
  stop(): Promise<void>;
}

/** Starts one service as a process of its own: SIGTERM drains and exits 0; a bad start says what to do and exits 1. */
export async function runProcess(start: (environment: Environment) => Promise<Stoppable>): Promise<void> {
  let service: Stoppable;
  try {
    service = await start(process.env);
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : (error as Error).stack);
    process.exit(1);
  }
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    service.stop().then(
      () => process.exit(0),
      (error: Error) => {
        console.error(error.stack);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
