import { Controller } from '@nestjs/common';
import {
  lists,
  type CreateList,
  type DeletedList,
  type List,
  type ListId,
  type ListMembers,
  type ListPage,
  type MemberPage,
  type PageQuery,
  type UpdateListById,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ListsService } from './lists.service.js';
import { MembersService } from './members.service.js';

@Controller()
export class ListsHandlers {
  constructor(
    private readonly service: ListsService,
    private readonly membersService: MembersService,
  ) {}

  @Handles(lists.create)
  create(call: Incoming<CreateList>): Promise<List> {
    return this.service.create(call);
  }

  @Handles(lists.get)
  get({ caller, body }: Incoming<ListId>): Promise<List> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(lists.list)
  list({ caller, body }: Incoming<PageQuery>): Promise<ListPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(lists.update)
  update(call: Incoming<UpdateListById>): Promise<List> {
    return this.service.update(call);
  }

  @Handles(lists.delete)
  delete(call: Incoming<ListId>): Promise<DeletedList> {
    return this.service.delete(call);
  }

  @Handles(lists.members)
  members({ caller, body }: Incoming<ListMembers>): Promise<MemberPage> {
    return this.membersService.page(caller.projectId, body);
  }
}
