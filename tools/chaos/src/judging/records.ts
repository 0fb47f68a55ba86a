import type { ServiceName } from '@posthorn/contracts';
import pg from 'pg';

export interface EmailRow {
  id: string;
  to: string;
  status: string;
  failureKind: string | null;
  /** Three times the process that worked on it ended (docs/guarantees.md G18). */
  isGivenUp?: boolean;
  state: string | null;
  attempts: number;
  createdAt: Date;
}

export interface History {
  emailId: string;
  recipient: string;
  statuses: string[];
}

export interface Totals {
  counted: number;
  delivered: number;
  bounces: number;
  contacts: number;
  contactsCounted: number;
}

/** What is left to be done before all is quiet; each is 0 in the end. */
export interface Unfinished {
  deliveries: number;
  /** Claims and hand-offs of workers that are gone. */
  leases: number;
  outbox: number;
  uncounted: number;
  missingContacts: number;
}

export const services: readonly ServiceName[] = [
  'gateway',
  'sending',
  'contacts',
  'campaigns',
  'workflows',
  'analytics',
];

/** What the product itself has written down, read from its databases. */
export class Records {
  constructor(
    private readonly adminUrl: () => string,
    private readonly projectId: () => string,
  ) {}

  urlOf(service: ServiceName): string {
    const url = new URL(this.adminUrl());
    url.pathname = `/posthorn_${service}`;
    return url.toString();
  }

  /** At a mail server's fault the product may have noted the doubt before we can look. */
  async inHandOff(): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      'sending',
      `SELECT email_id AS id FROM deliveries WHERE state IN ('HANDOFF', 'AMBIGUOUS')`,
    );
    return rows.map(({ id }) => id);
  }

  /** Whether Postgres still works for one of these processes: what it asked for last may yet be committed. */
  async hasSessions(service: ServiceName, pids: readonly number[]): Promise<boolean> {
    const sessions = await this.query(
      service,
      `SELECT FROM pg_stat_activity WHERE substring(application_name FROM '[0-9]+') = ANY ($1::text[]) LIMIT 1`,
      [pids.map(String)],
    );
    return sessions.length > 0;
  }

  /** Messages that a worker has, perhaps one that is gone. */
  inWork(): Promise<{ id: string; state: 'CLAIMED' | 'HANDOFF' }[]> {
    return this.query(
      'sending',
      `SELECT email_id AS id, state FROM deliveries WHERE state IN ('CLAIMED', 'HANDOFF') AND position = 0`,
    );
  }

  emails(): Promise<EmailRow[]> {
    return this.query(
      'sending',
      `SELECT e.id, e.to_email AS "to", e.status, e.failure_kind AS "failureKind", coalesce(e.error LIKE 'The message was given up: %', false) AS "isGivenUp", d.state, coalesce(d.attempts, 0) AS attempts, e.created_at AS "createdAt"
       FROM emails e LEFT JOIN deliveries d ON d.project_id = e.project_id AND d.email_id = e.id AND d.position = 0
       WHERE e.project_id = $1`,
      [this.projectId()],
    );
  }

  /** What was told of each recipient of an e-mail, in order: each copy has its own way. */
  events(): Promise<History[]> {
    return this.query(
      'sending',
      `SELECT email_id AS "emailId", recipient, array_agg(status ORDER BY at, id) AS statuses
       FROM email_events WHERE project_id = $1 GROUP BY email_id, recipient`,
      [this.projectId()],
    );
  }

  contacts(): Promise<{ email: string }[]> {
    return this.query('contacts', `SELECT email FROM contacts WHERE project_id = $1`, [this.projectId()]);
  }

  async deadLetters(): Promise<string[]> {
    const found = await Promise.all(
      services.map((service) =>
        this.query<{ line: string }>(
          service,
          `SELECT subscriber || ': ' || error AS line FROM dead_letters`,
        ).then((rows) => rows.map(({ line }) => `${service} ${line}`)),
      ),
    );
    return found.flat();
  }

  async totals(): Promise<Totals> {
    const [counts] = await this.query<Pick<Totals, 'counted' | 'delivered' | 'bounces'>>(
      'analytics',
      `SELECT coalesce(sum(accepted), 0)::int AS counted, coalesce(sum(delivered), 0)::int AS delivered, coalesce(sum(bounced), 0)::int AS bounces
       FROM (SELECT accepted, delivered, bounced FROM mail_counts WHERE project_id = $1 AND kind = 'all' AND NOT hourly
         UNION ALL SELECT accepted, delivered, bounced FROM mail_count_deltas WHERE project_id = $1 AND kind = 'all' AND live) AS counts`,
      [this.projectId()],
    );
    const [contacts] = await this.query<Pick<Totals, 'contacts' | 'contactsCounted'>>(
      'contacts',
      `SELECT (SELECT count(*)::int FROM contacts WHERE project_id = $1) AS contacts,
              (SELECT coalesce(sum(total), 0)::int FROM (SELECT total FROM contact_counts WHERE project_id = $1
                UNION ALL SELECT total FROM contact_count_deltas WHERE project_id = $1) AS parts) AS "contactsCounted"`,
      [this.projectId()],
    );
    return { ...counts!, ...contacts! };
  }

  async unfinished(): Promise<Unfinished> {
    const [row] = await this.query<{
      deliveries: number;
      leases: number;
      emails: number;
      delivered: number;
      bounced: number;
    }>(
      'sending',
      `SELECT (SELECT count(*)::int FROM deliveries WHERE state IN ('QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS')) AS deliveries,
              (SELECT count(*)::int FROM deliveries d WHERE state IN ('CLAIMED', 'HANDOFF')
                AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = d.worker_id AND w.expires_at > now())) AS leases,
              (SELECT count(*)::int FROM emails WHERE status <> 'VOIDED' AND project_id = $1) AS emails,
              (SELECT count(*)::int FROM emails WHERE status = 'DELIVERED' AND project_id = $1) AS delivered,
              (SELECT count(*)::int FROM emails WHERE status = 'BOUNCED' AND project_id = $1) AS bounced`,
      [this.projectId()],
    );
    const totals = await this.totals();
    const { deliveries, leases, emails, delivered, bounced } = row!;
    const after = (is: number, should: number) => Math.max(0, should - is);
    return {
      deliveries,
      leases,
      outbox: await this.unpublished(),
      // The last events are published a moment before anybody takes them in.
      uncounted:
        after(totals.counted, emails) + after(totals.delivered, delivered) + after(totals.bounces, bounced),
      missingContacts: after(totals.contacts, emails),
    };
  }

  /** Events of every service that are still to be published, once or once more, or whose tries are not over. */
  async unpublished(): Promise<number> {
    const sql = `SELECT (SELECT count(*) FROM outbox WHERE published_at IS NULL) + (SELECT count(*) FROM event_repeats)
                   + (SELECT count(*) FROM event_tries t WHERE NOT EXISTS (
                        SELECT FROM inbox i WHERE i.subscriber = t.subscriber AND i.event_id = t.event_id)) AS waiting`;
    const rows = await Promise.all(services.map((service) => this.query<{ waiting: string }>(service, sql)));
    return rows.reduce((sum, [row]) => sum + Number(row!.waiting), 0);
  }

  async query<Row extends object>(
    service: ServiceName,
    sql: string,
    parameters: unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client({
      connectionString: this.urlOf(service),
      connectionTimeoutMillis: 10_000,
      query_timeout: 20_000,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql, parameters)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
