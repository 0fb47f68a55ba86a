import type pg from 'pg';
import { cpuSeconds } from '../resident.js';

const checkEveryMs = 100;

interface Used {
  first: number;
  last: number;
}

/** Processor time of the campaigns service and of its connections in Postgres, from now on. */
export class ServiceCpu {
  private readonly used = new Map<number, Used>();
  private running: Promise<void> = Promise.resolve();
  private isOver = false;

  private constructor(
    private readonly client: pg.Client,
    private readonly pid: number,
  ) {}

  static async start(client: pg.Client, pid: number): Promise<ServiceCpu> {
    const cpu = new ServiceCpu(client, pid);
    await cpu.look(true);
    cpu.running = cpu.watch();
    return cpu;
  }

  /** Seconds since the start. */
  async stop(): Promise<number> {
    this.isOver = true;
    await this.running;
    await this.look(false);
    return [...this.used.values()].reduce((sum, { first, last }) => sum + last - first, 0);
  }

  /** A connection may end before the last look. */
  private async watch(): Promise<void> {
    while (!this.isOver) {
      await new Promise((next) => setTimeout(next, checkEveryMs));
      await this.look(false);
    }
  }

  private async look(isFirst: boolean): Promise<void> {
    const { rows } = await this.client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'posthorn-campaigns-%'`,
    );
    for (const pid of [this.pid, ...rows.map((row) => row.pid)]) {
      const now = secondsOf(pid);
      if (now === null) continue;
      const known = this.used.get(pid) ?? { first: isFirst ? now : 0, last: now };
      this.used.set(pid, { ...known, last: now });
    }
  }
}

function secondsOf(pid: number): number | null {
  try {
    return cpuSeconds(pid);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
