import type { ListMember, ListMembers } from '@posthorn/contracts';
import {
  equals,
  keysetCondition,
  narrowedBy,
  pageLimit,
  toPage,
  type Database,
  type Page,
} from '@posthorn/database';

/** The members of a list with their addresses; none of a deleted list, although its rows may still be there. */
export class Members {
  constructor(private readonly database: Database) {}

  async page(projectId: string, query: ListMembers): Promise<Page<ListMember>> {
    const parameters: unknown[] = [projectId, query.id];
    const narrowed = narrowedBy([equals('member.status', query.status)], parameters);
    const following = keysetCondition(query.after, parameters.length + 1, 'member');
    const rows = await this.database.query<ListMember>(
      `SELECT member.id, contact.id AS "contactId", contact.email, member.status, member.created_at AS "createdAt", member.updated_at AS "updatedAt"
       FROM lists list JOIN memberships member ON member.project_id = list.project_id AND member.list_id = list.id
       JOIN contacts contact ON contact.project_id = member.project_id AND contact.id = member.contact_id
       WHERE list.project_id = $1 AND list.id = $2 AND member.project_id = $1 AND member.list_id = $2${narrowed} ${following.sql}
       ORDER BY member.created_at DESC, member.id DESC LIMIT ${pageLimit(query) + 1}`,
      [...parameters, ...following.parameters],
    );
    return toPage(rows, query);
  }
}
