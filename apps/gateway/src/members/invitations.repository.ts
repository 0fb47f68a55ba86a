import { Injectable } from '@nestjs/common';
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

  open(projectId: string, request: PageRequest): Promise<Page<InvitationRow>> {
    return this.page(projectId, request, [{ sql: 'row.expiresAt > clock_timestamp()', parameters: {} }]);
  }

  countOpen(projectId: string): Promise<number> {
    return this.rows
      .createQueryBuilder('row')
      .where('row.projectId = :projectId AND row.expiresAt > clock_timestamp()', { projectId })
      .getCount();
  }

  /** Answers whether there was one. */
  async remove(projectId: string, id: string): Promise<boolean> {
    const { affected } = await this.rows.delete({ projectId, id });
    return affected === 1;
  }

  async removeFrom(projectId: string, invitedBy: string): Promise<void> {
    await this.rows.delete({ projectId, invitedBy });
  }

  async removeExpired(projectId: string): Promise<void> {
    await this.database.query(`DELETE FROM invitations WHERE project_id = $1 AND expires_at <= clock_timestamp()`, [projectId]);
  }

  /** Takes the invitation of a link whose project nobody knows yet: once, in time, and only for whom it is meant. */
  async take(tokenHash: string, userId: string): Promise<Accepted | null> {
    const [taken] = await this.database.query<Accepted>(
      `DELETE FROM invitations USING auth_users person
       WHERE token_hash = $1 AND person.id = $2 AND person."emailVerified" AND person.email = invitations.email
         AND expires_at > clock_timestamp()
       RETURNING project_id AS "projectId", role`,
      [tokenHash, userId],
    );
    return taken ?? null;
  }
}
