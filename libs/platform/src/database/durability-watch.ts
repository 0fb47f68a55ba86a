import { durabilityProblem, type Database } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';
import type { DatabaseConfig } from './database-config.js';
import type { PinoLogger } from '../logging.js';

const everyMs = 300_000;

/** What held at the start may be changed while the service runs: it says so, and is not ready. */
export class DurabilityWatch {
  problem: string | null = null;
  private readonly loop: Loop;

  constructor(database: Database, config: DatabaseConfig, logger: PinoLogger) {
    this.loop = new Loop({
      everyMs,
      work: async () => {
        this.problem = await durabilityProblem(database, config);
        if (this.problem !== null) logger.error(this.problem);
      },
      onError: (error) => logger.warn(`durability of Postgres: ${(error as Error).message}`),
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }
}
