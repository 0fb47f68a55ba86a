import type { AudienceMember } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { reportBits } from '../results/report.js';

const { opened, clicked, bounced, complained, unsubscribed } = reportBits;
const reacted = opened | clicked | bounced | complained | unsubscribed;
const isUnopened = `outcome = 'SENT' AND reported_bits & ${reacted} = 0`;

export class Unopened {
  constructor(private readonly database: Database) {}

  async among(
    projectId: string,
    campaignId: string,
    members: readonly AudienceMember[],
  ): Promise<AudienceMember[]> {
    const rows = await this.database.query<{ contactId: string }>(
      `SELECT contact_id AS "contactId" FROM (SELECT $1::uuid AS project_id, $2::uuid AS campaign_id, unnest($3::uuid[]) AS contact_id OFFSET 0) AS member
       JOIN recipients USING (project_id, campaign_id, contact_id) WHERE ${isUnopened}`,
      [projectId, campaignId, members.map(({ contactId }) => contactId)],
    );
    const unopened = new Set(rows.map(({ contactId }) => contactId));
    return members.filter(({ contactId }) => unopened.has(contactId));
  }

  async any(projectId: string, campaignId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM recipients WHERE project_id = $1 AND campaign_id = $2 AND ${isUnopened} LIMIT 1`,
      [projectId, campaignId],
    );
    return rows.length > 0;
  }
}
