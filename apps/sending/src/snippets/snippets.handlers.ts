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
import { Answers, type Incoming } from '@posthorn/messaging';
import { SnippetsService } from './snippets.service.js';

@Controller()
export class SnippetsHandlers {
  constructor(private readonly service: SnippetsService) {}

  @Answers(snippets.create)
  create(call: Incoming<CreateSnippet>): Promise<Snippet> {
    return this.service.create(call);
  }

  @Answers(snippets.get)
  get({ caller, body }: Incoming<SnippetId>): Promise<Snippet> {
    return this.service.get(caller.projectId, body.id);
  }

  @Answers(snippets.list)
  list({ caller, body }: Incoming<ListSnippets>): Promise<SnippetPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(snippets.update)
  update(call: Incoming<UpdateSnippetById>): Promise<Snippet> {
    return this.service.update(call);
  }

  @Answers(snippets.delete)
  delete(call: Incoming<SnippetId>): Promise<DeletedSnippet> {
    return this.service.delete(call);
  }
}
