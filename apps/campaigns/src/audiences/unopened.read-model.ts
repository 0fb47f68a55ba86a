import type { AudienceMember } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { reportBits } from '../results/report.js';

const { opened, clicked, bounced, complained, unsubscribed } = reportBits;
const reacted = opened | clicked | bounced | complained | unsubscribed;

/** Who got a campaign, and has neither opened it nor otherwise reacted: it may be sent to them again. */
export class Unopened {
  constructor(private readonly database: Database) {}

  async among(
    projectId: string,
    campaignId: string,
    members: readonly AudienceMember[],
  ): Promise<AudienceMember[]> {
    const rows = await this.database.query<{ contactId: string }>(
      `SELECT contact_id AS "contactId" FROM recipients
       WHERE project_id = $1 AND campaign_id = $2 AND contact_id = ANY ($3::uuid[]) AND outcome = 'SENT' AND reported & ${reacted} = 0`,
      [projectId, campaignId, members.map(({ contactId }) => contactId)],
    );
    const unopened = new Set(rows.map(({ contactId }) => contactId));
    return members.filter(({ contactId }) => unopened.has(contactId));
  }
}
