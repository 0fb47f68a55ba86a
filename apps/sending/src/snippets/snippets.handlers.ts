import { Controller } from '@nestjs/common';
import {
  snippets,
  type CreateSnippet,
  type DeletedSnippet,
  type ListSnippets,
  type Snippet,
  type SnippetId,
  type SnippetPage,
  type UpdateSnippetById,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SnippetsService } from './snippets.service.js';

@Controller()
export class SnippetsHandlers {
  constructor(private readonly service: SnippetsService) {}

  @Handles(snippets.create)
  create(call: Incoming<CreateSnippet>): Promise<Snippet> {
    return this.service.create(call);
  }

  @Handles(snippets.get)
  get({ caller, body }: Incoming<SnippetId>): Promise<Snippet> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(snippets.list)
  list({ caller, body }: Incoming<ListSnippets>): Promise<SnippetPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(snippets.update)
  update(call: Incoming<UpdateSnippetById>): Promise<Snippet> {
    return this.service.update(call);
  }

  @Handles(snippets.delete)
  delete(call: Incoming<SnippetId>): Promise<DeletedSnippet> {
    return this.service.delete(call);
  }
}
