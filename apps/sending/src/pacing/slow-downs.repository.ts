import type { Database } from '@posthorn/database';
import { currentRate, hasRecovered } from './slow-down-sql.js';

export interface SlowDownOrder {
  providerKind: string;
  destination: string;
  fullRate: number;
}

const onceIn = `interval '5 seconds'`;
const lowestRate = 1 / 60;

export class SlowDownsRepository {
  constructor(private readonly database: Database) {}

  /** Halves the rate, once for all replies that come together. False where that has just happened. */
  async slow({ providerKind, destination, fullRate }: SlowDownOrder): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO slowed_destinations AS s (provider, destination, full_rate, rate) VALUES ($1, $2, $3, $3::float8 / 2)
       ON CONFLICT (provider, destination) DO UPDATE SET slowed_at = now(), full_rate = excluded.full_rate,
         rate = greatest(${lowestRate}, least(${currentRate('s')}, excluded.full_rate) / 2)
       WHERE s.slowed_at < now() - ${onceIn} RETURNING 1`,
      [providerKind, destination, fullRate],
    );
    return rows.length > 0;
  }

  async isKnown(domain: string): Promise<boolean> {
    const rows = await this.database.query(`SELECT 1 FROM destination_domains WHERE domain = $1`, [domain]);
    return rows.length > 0;
  }

  async setDestination(domain: string, destination: string): Promise<void> {
    await this.database.query(
      `INSERT INTO destination_domains (domain, destination) VALUES ($1, $2)
       ON CONFLICT (domain) DO UPDATE SET destination = excluded.destination, found_at = now()`,
      [domain, destination],
    );
  }

  async deleteOld(): Promise<void> {
    await this.database.query(
      `DELETE FROM slowed_destinations WHERE (provider, destination) IN (
         SELECT provider, destination FROM slowed_destinations s WHERE ${hasRecovered('s')} FOR UPDATE SKIP LOCKED)`,
    );
    await this.database.query(`DELETE FROM destination_lines WHERE last_turn_at < now() - interval '1 hour'`);
    await this.database.query(`DELETE FROM destination_domains WHERE found_at < now() - interval '7 days'`);
  }
}
