import { ScopedRepository, type Database } from '@posthorn/database';
import { DeletedListRow } from './list.entity.js';

export class DeletedListsRepository extends ScopedRepository<DeletedListRow> {
  constructor(database: Database) {
    super(database, DeletedListRow);
  }

  async keep(projectId: string, id: string): Promise<void> {
    await this.rows.insert({ projectId, id });
  }

  /** One of whichever project that nobody else is at; several replicas take different ones. */
  lockAny(): Promise<DeletedListRow | null> {
    return this.rows.createQueryBuilder('row').setLock('pessimistic_write').setOnLocked('skip_locked').limit(1).getOne();
  }

  async forget(projectId: string, id: string): Promise<void> {
    await this.rows.delete({ projectId, id });
  }
}
