import { Controller } from '@nestjs/common';
import {
  CreateSnippet,
  DeletedSnippet,
  Snippet,
  SnippetFilter,
  snippetNameTaken,
  snippetNotFound,
  snippets,
  UpdateSnippet,
  type SnippetPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';

@Controller()
export class SnippetsController {
  constructor(private readonly bus: Bus) {}

  @Post('snippets', {
    summary: 'Create a snippet',
    scope: 'templates:write',
    body: CreateSnippet,
    reply: Snippet,
    success: 'created',
    errors: [snippetNameTaken],
  })
  create({ caller, body }: RouteRequest<CreateSnippet>): Promise<Snippet> {
    return this.bus.call(snippets.create, caller, body);
  }

  @Get('snippets', {
    summary: 'List snippets, newest first',
    scope: 'templates:read',
    query: SnippetFilter,
    listed: 'nested',
    reply: Snippet,
  })
  list({ caller, query, listPage }: RouteRequest<object, SnippetFilter>): Promise<SnippetPage> {
    return this.bus.call(snippets.list, caller, { ...query, ...listPage });
  }

  @Get('snippets/:id', {
    summary: 'Get a snippet',
    scope: 'templates:read',
    reply: Snippet,
    missing: snippetNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Snippet> {
    return this.bus.call(snippets.get, caller, { id: params['id']! });
  }

  @Patch('snippets/:id', {
    summary: 'Update a snippet',
    scope: 'templates:write',
    body: UpdateSnippet,
    reply: Snippet,
    errors: [snippetNameTaken],
    missing: snippetNotFound,
  })
  update({ caller, params, body }: RouteRequest<UpdateSnippet>): Promise<Snippet> {
    return this.bus.call(snippets.update, caller, { ...body, id: params['id']! });
  }

  @Delete('snippets/:id', {
    summary: 'Delete a snippet; templates that include it render nothing in its place',
    scope: 'templates:write',
    reply: DeletedSnippet,
    success: 'deleted',
    missing: snippetNotFound,
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedSnippet> {
    return this.bus.call(snippets.delete, caller, { id: params['id']! });
  }
}
