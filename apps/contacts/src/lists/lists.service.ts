import { Injectable } from '@nestjs/common';
import {
  listEvents,
  redirectUnreadable,
  lists,
  type CreateList,
  type DeletedList,
  type List,
  type ListId,
  type ListPage,
  type PageQuery,
  type UpdateList,
  type UpdateListById,
  DomainError,
  listTemplateUnknown,
  serviceCaller,
  templates,
  type ListMembers,
  type MemberPage,
} from '@posthorn/contracts';
import { newId, pageWithTotal } from '@posthorn/database';
import { Outbox, Handles, type Incoming, Bus } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { DeletedLists } from './deleted-lists.js';
import { ListCounts } from './list-counts.read-model.js';
import { ListRow } from './list.entity.js';
import { ListsRepository } from './lists.repository.js';
import { Members } from './members.read-model.js';

const time = { timeoutShare: 0.45 };

@Injectable()
export class ConfirmationTemplates {
  constructor(private readonly bus: Bus) {}

  async refuseUnknown(projectId: string, id: string): Promise<void> {
    try {
      await this.bus.call(templates.get, serviceCaller('contacts', projectId), { id }, time);
    } catch (error) {
      throw error instanceof DomainError && error.kind === 'not_found' ? listTemplateUnknown() : error;
    }
  }
}

@Injectable()
export class ListsService {
  constructor(
    private readonly lists: ListsRepository,
    private readonly counts: ListCounts,
    private readonly templates: ConfirmationTemplates,
    private readonly deleted: DeletedLists,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  @Handles(lists.create)
  async create({ caller, body, deadline }: Incoming<CreateList>): Promise<List> {
    await this.check(caller.projectId, body);
    const row = await this.commits.before(deadline, async () =>
      this.publish(await this.lists.add(draftOf(caller.projectId, body))),
    );
    return row.toList(0);
  }

  @Handles(lists.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<ListId>): Promise<List> {
    return this.counted(await this.lists.findOrFail(projectId, id));
  }

  @Handles(lists.list)
  async list({ caller: { projectId }, body: query }: Incoming<PageQuery>): Promise<ListPage> {
    const page = await pageWithTotal(query, this.lists.list(projectId, query), () =>
      this.lists.total(projectId),
    );
    const counts = await this.counts.ofAll(
      projectId,
      page.items.map(({ id }) => id),
    );
    return { ...page, items: page.items.map((row) => row.toList(counts.get(row.id)?.CONFIRMED ?? 0)) };
  }

  @Handles(lists.update)
  async update({ caller, body, deadline }: Incoming<UpdateListById>): Promise<List> {
    const { id, ...changes } = body;
    await this.check(caller.projectId, changes);
    const row = await this.commits.before(deadline, async () => {
      const locked = await this.lists.lockForEdit(caller.projectId, id);
      return locked.change(changes) ? this.publish(await this.lists.save(locked)) : locked;
    });
    return this.counted(row);
  }

  @Handles(lists.delete)
  async delete({ caller, body, deadline }: Incoming<ListId>): Promise<DeletedList> {
    const { projectId } = caller;
    await this.lists.findOrFail(projectId, body.id);
    await this.commits.before(deadline, async () => {
      const row = await this.lists.lockOrFail(projectId, body.id);
      await this.deleted.refuseUsed(caller, body.id);
      const at = await this.lists.remove(row);
      await this.counts.forget(projectId, row.id);
      await this.deleted.removeMemberships(projectId, row.id);
      await this.outbox.publish(listEvents.deleted, projectId, [row.toEvent(at)]);
    });
    return { id: body.id };
  }

  private async check(projectId: string, { redirectUrl, confirmationTemplateId }: UpdateList): Promise<void> {
    if (typeof redirectUrl === 'string' && !isSafeRedirect(redirectUrl)) throw redirectUnreadable();
    if (typeof confirmationTemplateId === 'string')
      await this.templates.refuseUnknown(projectId, confirmationTemplateId);
  }

  private async counted(row: ListRow): Promise<List> {
    return row.toList((await this.counts.of(row.projectId, row.id)).CONFIRMED);
  }

  private async publish(row: ListRow): Promise<ListRow> {
    await this.outbox.publish(listEvents.changed, row.projectId, [row.toEvent()]);
    return row;
  }
}

function draftOf(projectId: string, wanted: CreateList): ListRow {
  const draft = {
    projectId,
    id: newId(),
    description: null,
    doubleOptIn: false,
    confirmationTemplateId: null,
    redirectUrl: null,
  };
  const row = Object.assign(new ListRow(), draft);
  row.change(wanted);
  return row;
}

/** Credentials in the URL could disguise its host. */
function isSafeRedirect(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}

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
