import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

export interface MailLimit {
  anHour: number;
  aDay: number;
}

/** Not scoped to a project: the recipients are hashes of addresses. Rows are removed a day after the newest mail. */
@Injectable()
export class MailRecipientsRepository {
  constructor(private readonly database: Database) {}

  async take(recipient: string, kind: string, { anHour, aDay }: MailLimit): Promise<number> {
    const taken = await this.database.query(
      `INSERT INTO system_mail_recipients AS kept (recipient, kind, sent_at)
       VALUES ($1, $2, ARRAY[clock_timestamp()])
       ON CONFLICT (recipient, kind) DO UPDATE SET sent_at =
         (SELECT array_agg(at ORDER BY at) FROM unnest(kept.sent_at) AS at
          WHERE at > clock_timestamp() - interval '1 day') || clock_timestamp()
       WHERE (SELECT count(*) FILTER (WHERE at > clock_timestamp() - interval '1 hour') = 0
                OR count(*) FILTER (WHERE at > clock_timestamp() - interval '1 hour') < $3
                AND count(*) FILTER (WHERE at > clock_timestamp() - interval '1 day') < $4
              FROM unnest(kept.sent_at) AS at)
       RETURNING 1`,
      [recipient, kind, anHour, aDay],
    );
    return taken.length > 0 ? 0 : this.waitOf(recipient, kind, { anHour, aDay });
  }

  private async waitOf(recipient: string, kind: string, { anHour, aDay }: MailLimit): Promise<number> {
    const [row] = await this.database.query<{ wait: number }>(
      `SELECT extract(epoch FROM sent_at[cardinality(sent_at) + 1
         - CASE WHEN cardinality(sent_at) < $4 THEN $3 ELSE 1 END]
         + interval '1 hour' - clock_timestamp())::float8 AS wait
       FROM system_mail_recipients WHERE recipient = $1 AND kind = $2`,
      [recipient, kind, anHour, aDay],
    );
    return Math.max(1, Math.ceil(row?.wait ?? 1));
  }
}
