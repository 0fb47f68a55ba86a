import { listNotFound } from '@posthorn/contracts';
import { CountedRepository, type Database, type Page, type PageRequest } from '@posthorn/database';
import { In } from 'typeorm';
import { ListRow } from './list.entity.js';

export class ListsRepository extends CountedRepository<ListRow> {
  constructor(database: Database) {
    super(database, ListRow, listNotFound);
  }

  list(projectId: string, query: PageRequest): Promise<Page<ListRow>> {
    return this.page(projectId, query);
  }

  /** Locks against other edits and deletion, but not against changes of members. */
  lockForEdit(projectId: string, id: string): Promise<ListRow> {
    return this.orFail(this.rows.findOne({ where: { projectId, id }, lock: { mode: 'for_no_key_update' } }));
  }

  /** Locks against deletion only: changes of members do not wait for each other. */
  lockShared(projectId: string, id: string): Promise<ListRow | null> {
    return this.rows.findOne({ where: { projectId, id }, lock: { mode: 'for_key_share' } });
  }

  lockSharedOrFail(projectId: string, id: string): Promise<ListRow> {
    return this.orFail(this.lockShared(projectId, id));
  }

  /** In the order of ids, so that callers do not deadlock; deleted lists are missing. */
  lockAllShared(projectId: string, ids: string[]): Promise<ListRow[]> {
    return this.rows.find({
      where: { projectId, id: In(ids) },
      order: { id: 'ASC' },
      lock: { mode: 'for_key_share' },
    });
  }
}
