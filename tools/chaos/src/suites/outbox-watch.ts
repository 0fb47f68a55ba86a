import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { services, type Records } from '../judging/records.js';

const everyMs = 500;
const ages = `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS age FROM outbox WHERE published_at IS NULL AND quarantined_at IS NULL`;

/** Looks at the outboxes of all services until it is stopped. */
export class OutboxWatch {
  /** Seconds: the oldest event that ever waited, and where. */
  oldest = 0;
  owner: ServiceName | null = null;
  looks = 0;
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(private readonly records: Records) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const looks = await Promise.allSettled(services.map((service) => this.look(service)));
      if (looks.every(({ status }) => status === 'fulfilled')) this.looks += 1;
      await delay(everyMs);
    }
  }

  private async look(service: ServiceName): Promise<void> {
    const [row] = await this.records.query<{ age: number }>(service, ages);
    if (row!.age <= this.oldest) return;
    this.oldest = row!.age;
    this.owner = service;
  }
}

/** Of all events that are still in an outbox: the largest in bytes, and how many are quarantined. */
export async function outboxSizes(records: Records): Promise<{ largest: number; quarantined: number }> {
  const rows = await Promise.all(
    services.map((service) =>
      records.query<{ largest: number; quarantined: number }>(
        service,
        `SELECT coalesce(max(octet_length(items::text)), 0)::int AS largest, (count(*) FILTER (WHERE quarantined_at IS NOT NULL))::int AS quarantined FROM outbox`,
      ),
    ),
  );
  const all = rows.map(([row]) => row!);
  return {
    largest: Math.max(...all.map(({ largest }) => largest)),
    quarantined: all.reduce((sum, { quarantined }) => sum + quarantined, 0),
  };
}
