import { Injectable } from '@nestjs/common';
import { lists, type ListMembers, type MemberPage } from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ListCounts } from './list-counts.read-model.js';
import { ListsRepository } from './lists.repository.js';
import { Members } from './members.read-model.js';

@Injectable()
export class MembersService {
  constructor(
    private readonly lists: ListsRepository,
    private readonly members: Members,
    private readonly counts: ListCounts,
  ) {}

  @Handles(lists.members)
  async page({ caller: { projectId }, body: query }: Incoming<ListMembers>): Promise<MemberPage> {
    const page = await pageWithTotal(query, this.members.page(projectId, query), () =>
      this.totalOf(projectId, query),
    );
    if (page.items.length === 0) await this.lists.findOrFail(projectId, query.id);
    return page;
  }

  private async totalOf(projectId: string, { id, status }: ListMembers): Promise<number> {
    const count = await this.counts.of(projectId, id);
    return status ? count[status] : count.PENDING + count.CONFIRMED + count.UNSUBSCRIBED;
  }
}
