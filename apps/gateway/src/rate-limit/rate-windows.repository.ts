import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

export interface RateWindow {
  keyId: string;
  /** The window: a whole second of Postgres's clock since 1970. */
  second: number;
  /** Requests in it, these included. */
  used: number;
  /** Milliseconds since 1970 by the same clock. */
  now: number;
}

/** How many requests each key made in its present second, over all gateways. */
@Injectable()
export class RateWindowsRepository {
  constructor(private readonly database: Database) {}

  /** One statement for all; rows are locked in the order of ids. A window never goes back, whoever comes late. */
  count(calls: ReadonlyMap<string, number>): Promise<RateWindow[]> {
    return this.database.query<RateWindow>(
      `WITH clock AS MATERIALIZED (SELECT extract(epoch FROM clock_timestamp()) AS now)
       INSERT INTO rate_windows AS known (key_id, second, used)
       SELECT key_id, floor(now), calls FROM clock, unnest($1::uuid[], $2::bigint[]) AS call (key_id, calls) ORDER BY key_id
       ON CONFLICT (key_id) DO UPDATE SET
         used = CASE WHEN known.second >= excluded.second THEN known.used + excluded.used ELSE excluded.used END,
         second = greatest(known.second, excluded.second)
       RETURNING key_id AS "keyId", second, used, (SELECT now * 1000 FROM clock)::float8 AS now`,
      [[...calls.keys()], [...calls.values()]],
    );
  }
}
