import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

export interface RateWindow {
  keyId: string;
  /** The window: a whole second of Postgres time since 1970. */
  second: number;
  used: number;
  /** Milliseconds since 1970 in Postgres time. */
  now: number;
}

@Injectable()
export class RateWindowsRepository {
  constructor(private readonly database: Database) {}

  /** Rows are locked in the order of their ids to avoid deadlocks. A late statement never moves a window back. */
  count(amounts: ReadonlyMap<string, number>): Promise<RateWindow[]> {
    return this.database.query<RateWindow>(
      `WITH clock AS MATERIALIZED (SELECT extract(epoch FROM clock_timestamp()) AS now)
       INSERT INTO rate_windows AS known (key_id, second, used)
       SELECT key_id, floor(now), amount FROM clock, unnest($1::uuid[], $2::bigint[]) AS requested (key_id, amount) ORDER BY key_id
       ON CONFLICT (key_id) DO UPDATE SET
         used = CASE WHEN known.second >= excluded.second THEN known.used + excluded.used ELSE excluded.used END,
         second = greatest(known.second, excluded.second)
       RETURNING key_id AS "keyId", second, used, (SELECT now * 1000 FROM clock)::float8 AS now`,
      [[...amounts.keys()], [...amounts.values()]],
    );
  }
}
