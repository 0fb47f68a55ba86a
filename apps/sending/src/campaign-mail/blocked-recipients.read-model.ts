import type { EmailCategory, TriedRecipient } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { ErasedAddressHasher } from '../erasures/erased-names.js';
import { reachedNobody } from '../frequency/frequency-cap-sql.js';

type Reason = 'suppressed' | 'unsubscribed' | 'frequency_cap';

export class Blocked {
  constructor(private readonly reasons: ReadonlyMap<string, Reason>) {}

  has(contactId: string): boolean {
    return this.reasons.has(contactId);
  }

  by(reason: Reason): string[] {
    return [...this.reasons].filter(([, each]) => each === reason).map(([contactId]) => contactId);
  }
}

export class BlockedRecipients {
  constructor(
    private readonly database: Database,
    private readonly hasher: ErasedAddressHasher,
  ) {}

  async among(
    projectId: string,
    recipients: readonly TriedRecipient[],
    category: EmailCategory,
  ): Promise<Blocked> {
    const rows = await this.database.query<{ contactId: string; reason: Reason }>(
      `SELECT r.contact_id AS "contactId", CASE WHEN s.email IS NOT NULL THEN 'suppressed' WHEN o.email IS NOT NULL THEN 'unsubscribed' ELSE 'frequency_cap' END AS reason
       FROM unnest($2::uuid[], $3::text[], $4::text[]) AS r (contact_id, email, hash)
       LEFT JOIN LATERAL (SELECT email FROM suppressions WHERE project_id = $1 AND email IN (r.email, r.hash) LIMIT 1) AS s ON true
       LEFT JOIN LATERAL (SELECT email FROM opt_outs WHERE project_id = $1 AND email IN (r.email, r.hash) AND opted_out LIMIT 1) AS o ON $5
       LEFT JOIN project_states project ON project.project_id = $1 AND $5
       WHERE s.email IS NOT NULL OR o.email IS NOT NULL OR project.cap_messages <= (
         SELECT count(*) FROM marketing_hand_offs h WHERE h.project_id = $1 AND h.address_hash = r.hash AND h.at > now() - make_interval(days => project.cap_days)
           AND NOT EXISTS (SELECT FROM emails e WHERE e.project_id = h.project_id AND e.id = h.email_id AND ${reachedNobody}))`,
      [
        projectId,
        recipients.map(({ contactId }) => contactId),
        recipients.map(({ email }) => email),
        recipients.map(({ email }) => this.hasher.hash(projectId, email)),
        category === 'MARKETING',
      ],
    );
    return new Blocked(new Map(rows.map(({ contactId, reason }) => [contactId, reason])));
  }
}
