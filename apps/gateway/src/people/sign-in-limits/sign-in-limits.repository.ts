import { Injectable } from '@nestjs/common';
import { Database, newId } from '@posthorn/database';

export interface LimitRule {
  window: number;
  max: number;
}

export interface LimitedRequest {
  allowed: boolean;
  /** In seconds; null if allowed. */
  retryAfter: number | null;
}

/** Commits on its own: within another transaction, all users behind one address would wait for each other. */
@Injectable()
export class SignInLimitsRepository {
  constructor(private readonly database: Database) {}

  async take(key: string, { window, max }: LimitRule): Promise<LimitedRequest> {
    const request = () =>
      this.database.query<{ count: number; age: number }>(
        `INSERT INTO auth_rate_limits AS kept (id, key, count, "lastRequest")
       VALUES ($1, $2, 1, floor(extract(epoch FROM clock_timestamp()) * 1000))
       ON CONFLICT (key) DO UPDATE SET
         count = CASE WHEN excluded."lastRequest" - kept."lastRequest" >= $3::bigint THEN 1 ELSE kept.count + 1 END,
         "lastRequest" = CASE
           WHEN excluded."lastRequest" - kept."lastRequest" >= $3::bigint OR kept.count < $4 THEN excluded."lastRequest"
           ELSE kept."lastRequest" END
       RETURNING count, floor(extract(epoch FROM clock_timestamp()) * 1000) - "lastRequest" AS age`,
        [newId(), key, window * 1_000, max],
      );
    const [row] = await this.database.apart(request);
    const allowed = row!.count <= max;
    return {
      allowed,
      retryAfter: allowed ? null : Math.max(1, Math.ceil(window - Number(row!.age) / 1_000)),
    };
  }
}
