import { Controller } from '@nestjs/common';
import {
  CreateList,
  DeletedList,
  List,
  ListMember,
  listNotFound,
  lists,
  listTemplateUnknown,
  listUsed,
  MemberFilter,
  memberships,
  resubscribeRefused,
  Subscribe,
  Subscription,
  Unsubscribe,
  Unsubscribed,
  UpdateList,
  type ListPage,
  type MemberPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { allCallers, Delete, Get, Patch, Post } from '../edge/routes/route.js';

/** Sign-up forms of web pages call these with a public key (docs/api-decisions.md §15). */
const selfServed = {
  scope: 'lists:write',
  orScope: 'emails:send',
  callers: allCallers,
  missing: listNotFound,
} as const;

@Controller()
export class ListsController {
  constructor(private readonly bus: Bus) {}

  @Post('lists', {
    summary: 'Create a list',
    scope: 'lists:write',
    body: CreateList,
    reply: List,
    success: 'created',
    errors: [listTemplateUnknown],
  })
  create({ caller, body }: RouteRequest<CreateList>): Promise<List> {
    return this.bus.call(lists.create, caller, body);
  }

  @Get('lists', { summary: 'List lists, newest first', scope: 'lists:read', listed: 'items', reply: List })
  list({ caller, listPage }: RouteRequest): Promise<ListPage> {
    return this.bus.call(lists.list, caller, listPage);
  }

  @Get('lists/:id', { summary: 'Get a list', scope: 'lists:read', reply: List, missing: listNotFound })
  get({ caller, params }: RouteRequest): Promise<List> {
    return this.bus.call(lists.get, caller, { id: params['id']! });
  }

  @Patch('lists/:id', {
    summary: 'Update a list',
    scope: 'lists:write',
    body: UpdateList,
    reply: List,
    missing: listNotFound,
    errors: [listTemplateUnknown],
  })
  update({ caller, params, body }: RouteRequest<UpdateList>): Promise<List> {
    return this.bus.call(lists.update, caller, { ...body, id: params['id']! });
  }

  @Delete('lists/:id', {
    summary: 'Delete a list and its memberships; the contacts stay',
    scope: 'lists:write',
    reply: DeletedList,
    success: 'deleted',
    missing: listNotFound,
    whileDisabled: true,
    errors: [listUsed],
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedList> {
    return this.bus.call(lists.delete, caller, { id: params['id']! });
  }

  @Get('lists/:id/members', {
    summary: 'List the members of a list, newest first',
    scope: 'lists:read',
    query: MemberFilter,
    listed: 'items',
    reply: ListMember,
    missing: listNotFound,
  })
  members({ caller, params, query, listPage }: RouteRequest<object, MemberFilter>): Promise<MemberPage> {
    return this.bus.call(lists.members, caller, { ...query, ...listPage, id: params['id']! });
  }

  @Post('lists/:id/subscribe', {
    ...selfServed,
    summary: 'Subscribe an address to a list',
    body: Subscribe,
    reply: Subscription,
    errors: [resubscribeRefused],
  })
  subscribe({ caller, params, body }: RouteRequest<Subscribe>): Promise<Subscription> {
    return this.bus.call(memberships.subscribe, caller, { ...body, id: params['id']! });
  }

  @Post('lists/:id/unsubscribe', {
    ...selfServed,
    summary: 'Unsubscribe an address from a list; the response does not reveal whether it was subscribed',
    body: Unsubscribe,
    reply: Unsubscribed,
    whileDisabled: true,
  })
  unsubscribe({ caller, params, body }: RouteRequest<Unsubscribe>): Promise<Unsubscribed> {
    return this.bus.call(memberships.unsubscribe, caller, { ...body, id: params['id']! });
  }
}
