import { setTimeout as delay } from 'node:timers/promises';
import { watching } from '../faults/lock-trap.js';

const everyMs = 50;

/** Those who wait for a lock, and for how long already; the age of a lock that is held does not count. */
const waits = `
  SELECT extract(epoch FROM clock_timestamp() - l.waitstart)::float8 AS seconds, l.locktype, a.datname, a.application_name AS name, left(a.query, 120) AS query
  FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND l.waitstart IS NOT NULL ORDER BY 1 DESC LIMIT 1`;

interface Wait {
  seconds: number;
  locktype: string;
  datname: string;
  name: string;
  query: string;
}

/** Looks for waits on locks in all databases of the server. */
export class LockWatch {
  longest: Wait | null = null;
  looks = 0;
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(private readonly url: string) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  get line(): string {
    if (!this.longest) return `no wait in ${this.looks} looks`;
    const { seconds, locktype, datname, query } = this.longest;
    return `${seconds.toFixed(2)} s for a ${locktype} in ${datname}: ${query.replaceAll(/\s+/g, ' ')}`;
  }

  private async run(): Promise<void> {
    const client = await watching(this.url);
    try {
      while (!this.stopped) {
        const { rows } = await client.query<Wait>(waits);
        const [wait] = rows;
        if (wait && wait.seconds > (this.longest?.seconds ?? 0)) this.longest = wait;
        this.looks += 1;
        await delay(everyMs);
      }
    } catch {
      // The server is gone: whoever stopped it says why.
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
