import type { ListMember, ListMembers } from '@posthorn/contracts';
import { keysetCondition, pageLimit, toPage, type Database, type Page } from '@posthorn/database';

/** The members of a list with their addresses; of a list that is deleted there are none, whoever is still to be removed. */
export class Members {
  constructor(private readonly database: Database) {}

  async page(projectId: string, query: ListMembers): Promise<Page<ListMember>> {
    const { id, status, after } = query;
    const narrowed =
      status === undefined
        ? { sql: '', parameters: [] }
        : { sql: 'AND member.status = $4', parameters: [status] };
    const following = keysetCondition(after, 4 + narrowed.parameters.length, 'member');
    const rows = await this.database.query<ListMember>(
      `SELECT member.id, contact.id AS "contactId", contact.email, member.status, member.created_at AS "createdAt", member.updated_at AS "updatedAt"
       FROM lists list JOIN memberships member ON member.project_id = list.project_id AND member.list_id = list.id
       JOIN contacts contact ON contact.project_id = member.project_id AND contact.id = member.contact_id
       WHERE list.project_id = $1 AND list.id = $2 AND member.project_id = $1 AND member.list_id = $2 ${narrowed.sql} ${following.sql}
       ORDER BY member.created_at DESC, member.id DESC LIMIT $3`,
      [projectId, id, pageLimit(query) + 1, ...narrowed.parameters, ...following.parameters],
    );
    return toPage(rows, query);
  }
}
