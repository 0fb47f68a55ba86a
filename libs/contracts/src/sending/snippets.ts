import { query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Id, Instant, ListOf, Nullable, Optional, Text } from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

export class Snippet {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  /** Referenced as `{{> name}}` or `{% render "name" %}`; unique in the project. */
  @Text(1, 64, { pattern: /^[A-Za-z][\w-]{0,63}$/, example: 'footer' }) name: string;
  @Text(0, 500) @Nullable() description: string | null;
  /** Liquid with the variables of the including template. */
  @Text(1, 20_000) body: string;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class SnippetBase extends PickFields(Snippet, ['name', 'body']) {}
class SnippetSettings extends PickFields(Snippet, ['description']) {}

export class CreateSnippet extends JoinFields(SnippetBase, PartialFields(SnippetSettings)) {}

export class UpdateSnippet extends PartialFields(CreateSnippet) {}

export class SnippetId extends PickFields(Snippet, ['id']) {}

export class UpdateSnippetById extends JoinFields(SnippetId, UpdateSnippet) {}

export class SnippetFilter {
  @Text(1, 100) @Optional() search?: string;
}

export class ListSnippets extends JoinFields(PageQuery, SnippetFilter) {}

export class SnippetPage extends PageEnd {
  @ListOf(() => Snippet, 0, 100) items: Snippet[];
}

export class DeletedSnippet extends PickFields(Snippet, ['id']) {}

export const snippets = {
  /** 409 if the name is taken; 422 for a syntax error or a cycle of snippets. */
  create: request('sending.snippets.create', CreateSnippet, Snippet),
  get: query('sending.snippets.get', SnippetId, Snippet),
  list: query('sending.snippets.list', ListSnippets, SnippetPage),
  update: request('sending.snippets.update', UpdateSnippetById, Snippet),
  /** It renders as nothing from then on; its versions are kept for accepted messages. */
  delete: request('sending.snippets.delete', SnippetId, DeletedSnippet),
};

export const snippetNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such snippet');
export const snippetNameTaken = () =>
  new DomainError('conflict', 'conflict', 'A snippet with this name already exists');
