import { maxReportDays } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { addressesIn, anyOf } from '@posthorn/messaging';
import { oldestHour } from './count-deltas.repository.js';

const oldestDay = `now() - interval '${maxReportDays} days'`;

export class OldCounts {
  constructor(private readonly database: Database) {}

  /** Returns whether there may be more. */
  async deleteSome(limit: number): Promise<boolean> {
    const removed = await this.database.query(
      `DELETE FROM mail_counts WHERE ctid = ANY(ARRAY(
         (SELECT ctid FROM mail_counts WHERE hourly AND at < ${oldestHour} LIMIT $1)
         UNION ALL (SELECT ctid FROM mail_counts WHERE NOT hourly AND at < ${oldestDay} LIMIT $1))) RETURNING 1`,
      [limit],
    );
    const forgotten = await this.database.query(
      `DELETE FROM counted_keys WHERE ctid = ANY(ARRAY(
         SELECT k.ctid FROM counted_keys k WHERE NOT EXISTS (
           SELECT FROM mail_counts c WHERE c.project_id = k.project_id AND NOT c.hourly AND c.kind = k.kind AND c.owner = k.owner
         ) LIMIT $1)) RETURNING 1`,
      [limit],
    );
    return Math.max(removed.length, forgotten.length) >= limit;
  }

  /** Links may contain the address of the reader; returns whether none is left. */
  async erase(projectId: string, email: string, limit: number): Promise<boolean> {
    const pattern = anyOf([email]);
    const found = await this.database.query<{ owner: string; key: string; text: string }>(
      `SELECT owner, key, text FROM counted_keys WHERE project_id = $1 AND kind = 'link' AND text ~* $2 LIMIT $3`,
      [projectId, pattern, limit],
    );
    const rewritten = found
      .map((row) => ({ ...row, text: row.text.replace(addressesIn([email]), 'erased') }))
      .filter(({ text }, index) => text !== found[index]!.text);
    await this.database.query(
      `UPDATE counted_keys k SET text = r.text FROM unnest($2::text[], $3::text[], $4::text[]) AS r (owner, key, text)
       WHERE k.project_id = $1 AND k.kind = 'link' AND k.owner = r.owner AND k.key = r.key`,
      [
        projectId,
        rewritten.map(({ owner }) => owner),
        rewritten.map(({ key }) => key),
        rewritten.map(({ text }) => text),
      ],
    );
    const waiting = await this.database.query(
      `SELECT FROM mail_count_deltas WHERE project_id = $1 AND kind = 'link' AND key ~* $2 LIMIT 1`,
      [projectId, pattern],
    );
    return rewritten.length < limit && waiting.length === 0;
  }
}
