import { Injectable } from '@nestjs/common';
import { listNotFound, type ListMembers, type MemberPage } from '@posthorn/contracts';
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

  async page(projectId: string, query: ListMembers): Promise<MemberPage> {
    const [page, total] = await Promise.all([
      this.members.page(projectId, query),
      query.withTotal ? this.totalOf(projectId, query) : {},
    ]);
    // Whoever has members is there.
    if (page.items.length === 0 && !(await this.lists.find(projectId, query.id))) throw listNotFound();
    return { ...page, ...total };
  }

  private async totalOf(projectId: string, { id, status }: ListMembers): Promise<Pick<MemberPage, 'total'>> {
    const count = await this.counts.of(projectId, id);
    return { total: status ? count[status] : count.PENDING + count.CONFIRMED + count.UNSUBSCRIBED };
  }
}
