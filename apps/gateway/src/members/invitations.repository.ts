import { Injectable } from '@nestjs/common';
import type { MemberRole } from '@posthorn/contracts';
import { Database, ScopedRepository, type Page, type PageRequest } from '@posthorn/database';
import { InvitationRow } from './invitation.entity.js';

type Accepted = Pick<InvitationRow, 'projectId' | 'role'>;

@Injectable()
export class InvitationsRepository extends ScopedRepository<InvitationRow> {
  constructor(database: Database) {
    super(database, InvitationRow);
  }

  async save(row: InvitationRow): Promise<void> {
    await this.rows.save(row);
  }

  findFor(projectId: string, email: string): Promise<InvitationRow | null> {
    return this.rows.findOneBy({ projectId, email });
  }

  /** Postgres's clock, because expiry is written with it: the estimate of a process could be behind an expiry just written. */
  async now(): Promise<Date> {
    const [row] = await this.database.query<{ now: Date }>(`SELECT clock_timestamp() AS now`);
    return row!.now;
  }

  open(projectId: string, request: PageRequest): Promise<Page<InvitationRow>> {
    return this.page(projectId, request, [{ sql: 'row.expires_at > clock_timestamp()', parameters: {} }]);
  }

  countOpen(projectId: string): Promise<number> {
    return this.rows
      .createQueryBuilder('row')
      .where('row.projectId = :projectId AND row.expires_at > clock_timestamp()', { projectId })
      .getCount();
  }

  async sentLately(projectId: string): Promise<{ count: number; nextIn: number }> {
    const [sent] = await this.database.query<{ count: number; nextIn: number }>(
      `SELECT count(*)::int, coalesce(extract(epoch FROM min(sent_at) + interval '1 hour' - clock_timestamp()), 0)::float8 AS "nextIn"
       FROM invitations WHERE project_id = $1 AND sent_at > clock_timestamp() - interval '1 hour'`,
      [projectId],
    );
    return sent!;
  }

  /** The row stays for the hourly limit. The time is truncated, because rounding up would keep the invitation open for a moment. */
  async revoke(projectId: string, id: string): Promise<boolean> {
    const revoked = await this.database.query(
      `UPDATE invitations SET expires_at = date_trunc('milliseconds', clock_timestamp()) WHERE project_id = $1 AND id = $2 AND expires_at > clock_timestamp() RETURNING 1`,
      [projectId, id],
    );
    return revoked.length === 1;
  }

  async revokeOf(projectId: string, invitedBy: string, roles: readonly MemberRole[]): Promise<void> {
    await this.database.query(
      `UPDATE invitations SET expires_at = date_trunc('milliseconds', clock_timestamp()) WHERE project_id = $1 AND invited_by = $2 AND role = ANY ($3) AND expires_at > clock_timestamp()`,
      [projectId, invitedBy, roles],
    );
  }

  async removeOld(projectId: string): Promise<void> {
    await this.database.query(
      `DELETE FROM invitations
       WHERE project_id = $1 AND expires_at <= clock_timestamp() AND sent_at <= clock_timestamp() - interval '1 hour'`,
      [projectId],
    );
  }

  /** In whatever project: who signs up belongs to none yet. */
  async isAnyOpenFor(email: string): Promise<boolean> {
    const found = await this.database.query(
      `SELECT 1 FROM invitations WHERE email = $1 AND expires_at > clock_timestamp() LIMIT 1`,
      [email],
    );
    return found.length > 0;
  }

  /** Looks the invitation up by its link or id, without a project. Works once, before expiry, only for the invited address, and while its sender may invite. */
  async take(
    { tokenHash, id }: { tokenHash?: string; id?: string },
    userId: string,
  ): Promise<Accepted | null> {
    const [taken] = await this.database.query<Accepted>(
      `DELETE FROM invitations USING auth_users person
       WHERE (token_hash = $1 OR invitations.id = $3) AND person.id = $2 AND person."emailVerified" AND person.email = invitations.email
         AND expires_at > clock_timestamp()
         AND (invited_by IS NULL OR EXISTS (
           SELECT FROM members sender
           WHERE sender.project_id = invitations.project_id AND sender.user_id = invited_by AND sender.role <> 'MEMBER'
         ))
       RETURNING project_id AS "projectId", role`,
      [tokenHash ?? null, userId, id ?? null],
    );
    return taken ?? null;
  }
}
