import { CountedRepository, type Database, type Page, type PageRequest } from '@posthorn/database';
import { In } from 'typeorm';
import { ListRow } from './list.entity.js';

export class ListsRepository extends CountedRepository<ListRow> {
  constructor(database: Database) {
    super(database, ListRow);
  }

  list(projectId: string, query: PageRequest): Promise<Page<ListRow>> {
    return this.page(projectId, query, []);
  }

  /** The row for whoever edits it; who changes a member does not wait for that. */
  edit(projectId: string, id: string): Promise<ListRow | null> {
    return this.rows.findOne({ where: { projectId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /** The row for whoever changes a member: it is not deleted until their end, and they do not wait for one another. */
  hold(projectId: string, id: string): Promise<ListRow | null> {
    return this.rows.findOne({ where: { projectId, id }, lock: { mode: 'for_key_share' } });
  }

  /** As `hold`, of those that are there, in one order for all who ask. */
  holdAll(projectId: string, ids: string[]): Promise<ListRow[]> {
    return this.rows.find({
      where: { projectId, id: In(ids) },
      order: { id: 'ASC' },
      lock: { mode: 'for_key_share' },
    });
  }
}
