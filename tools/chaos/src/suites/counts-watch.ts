import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import type { CountsLook, CountsRow } from './campaigns/judge-campaign-counts.js';
import type { Tenant } from './tenant.js';

const everyMs = 1_500;

/** Looks at the sums of a service again and again; `sql` compares all those of a project in one statement. */
export class CountsWatch {
  readonly looks: CountsLook[] = [];
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly tenant: Tenant,
    private readonly service: ServiceName,
    private readonly sql: string,
  ) {
    this.running = this.run();
  }

  /** Returns all looks, the last of which is made now. */
  async stop(): Promise<readonly CountsLook[]> {
    this.stopped = true;
    await this.running;
    await this.look();
    return this.looks;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      // The database may be away.
      await this.look().catch(() => undefined);
      await delay(everyMs);
    }
  }

  private async look(): Promise<void> {
    const { records, projectId } = this.tenant;
    const rows = await records.query<CountsRow>(this.service, this.sql, [projectId]);
    this.looks.push({ at: Date.now(), rows });
  }
}
