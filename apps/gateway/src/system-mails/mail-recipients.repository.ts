import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';

export interface MailLimit {
  anHour: number;
  aDay: number;
}

export interface MailCounter extends MailLimit {
  recipient: string;
}

/** Not scoped to a project: the recipients are hashes. Rows are removed a day after the newest mail. */
@Injectable()
export class MailRecipientsRepository {
  constructor(private readonly database: Database) {}

  /** Counts a mail by all counters, or by none: then returns the seconds to wait. The mailbox is locked until the ambient transaction ends. */
  async take(kind: string, mailbox: string, counters: readonly MailCounter[]): Promise<number> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 61))`, [kind + mailbox]);
    const wait = await this.waitOf(kind, counters);
    if (wait > 0) return Math.max(1, Math.ceil(wait));
    await this.database.query(
      `INSERT INTO system_mail_recipients AS kept (recipient, kind, sent_at)
       SELECT recipient, $2, ARRAY[clock_timestamp()] FROM unnest($1::text[]) AS recipient
       ON CONFLICT (recipient, kind) DO UPDATE SET sent_at =
         (SELECT array_agg(at ORDER BY at) FROM unnest(kept.sent_at) AS at
          WHERE at > clock_timestamp() - interval '1 day') || clock_timestamp()`,
      [counters.map(({ recipient }) => recipient), kind],
    );
    return 0;
  }

  private async waitOf(kind: string, counters: readonly MailCounter[]): Promise<number> {
    const [row] = await this.database.query<{ wait: number }>(
      `SELECT coalesce(max(extract(epoch FROM CASE
         WHEN of_hour = 0 OR of_hour < an_hour AND of_day < a_day THEN interval '0'
         ELSE sent_at[cardinality(sent_at) + 1 - CASE WHEN of_day < a_day THEN an_hour ELSE 1 END]
           + interval '1 hour' - clock_timestamp() END)), 0)::float8 AS wait
       FROM unnest($2::text[], $3::int[], $4::int[]) AS counter (recipient, an_hour, a_day)
       JOIN system_mail_recipients AS kept ON kept.recipient = counter.recipient AND kept.kind = $1
       CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE at > clock_timestamp() - interval '1 hour') AS of_hour,
                count(*) FILTER (WHERE at > clock_timestamp() - interval '1 day') AS of_day
         FROM unnest(kept.sent_at) AS at) AS counted`,
      [
        kind,
        counters.map(({ recipient }) => recipient),
        counters.map(({ anHour }) => anHour),
        counters.map(({ aDay }) => aDay),
      ],
    );
    return row!.wait;
  }
}
