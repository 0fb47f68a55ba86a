import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { SegmentDirtyRepository } from '../segments/segment-dirty.repository.js';
import { DeletedListsRepository } from './deleted-lists.repository.js';
import { MembershipsRepository } from './memberships.repository.js';

/** Few enough for the commit that somebody waits for. */
const atOnce = 5_000;
/** A service that stops waits for no more than that. */
const mostInARound = 10;

/** The memberships of lists that are gone. A large list's go by the handful, after its deletion was answered. */
@Injectable()
export class DeletedLists {
  constructor(
    private readonly database: Database,
    private readonly deleted: DeletedListsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly dirty: SegmentDirtyRepository,
  ) {}

  /** Within the transaction of the deletion. */
  async take(projectId: string, listId: string): Promise<void> {
    if (!(await this.empty(projectId, listId))) await this.deleted.keep(projectId, listId);
  }

  async purge(): Promise<void> {
    let left = true;
    for (let done = 0; left && done < mostInARound; done += 1) left = await this.database.transaction(() => this.purgeOne());
  }

  /** Answers whether there was one. */
  private async purgeOne(): Promise<boolean> {
    const list = await this.deleted.lockAny();
    if (list && (await this.empty(list.projectId, list.id))) await this.deleted.forget(list.projectId, list.id);
    return list !== null;
  }

  /** Answers whether none is left. */
  private async empty(projectId: string, listId: string): Promise<boolean> {
    const gone = await this.memberships.removeFrom(projectId, listId, atOnce);
    await this.dirty.mark(gone.map((contactId) => ({ projectId, contactId })));
    return gone.length < atOnce;
  }
}
