import { Injectable } from '@nestjs/common';
import {
  invalidMember,
  snippetNameTaken,
  snippetNotFound,
  snippets,
  type CreateSnippet,
  type DeletedSnippet,
  type ListSnippets,
  type Snippet,
  type SnippetId,
  type SnippetPage,
  type UpdateSnippetById,
} from '@posthorn/contracts';
import { cappedTotal, newId } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Rendering } from '../rendering/rendering.js';
import { SnippetRow } from './snippet.entity.js';
import { SnippetsRepository } from './snippets.repository.js';

@Injectable()
export class SnippetsService {
  constructor(
    private readonly snippets: SnippetsRepository,
    private readonly rendering: Rendering,
    private readonly commits: Commits,
  ) {}

  @Handles(snippets.create)
  async create({ caller, body, deadline }: Incoming<CreateSnippet>): Promise<Snippet> {
    const { includes } = await this.rendering.check(
      { projectId: caller.projectId, deadline },
      'body',
      body.body,
    );
    const { projectId } = caller;
    const { description = null } = body;
    const draft = Object.assign(new SnippetRow(), {
      ...body,
      description,
      projectId,
      id: newId(),
      versionId: newId(),
      includes,
    });
    const row = await this.commits.before(deadline, async () => {
      await this.refuseConflicts(draft);
      await this.snippets.keepVersion(draft);
      return this.snippets.add(draft);
    });
    return row.toSnippet();
  }

  @Handles(snippets.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<SnippetId>): Promise<Snippet> {
    return (await this.found(this.snippets.find(projectId, id))).toSnippet();
  }

  @Handles(snippets.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListSnippets>): Promise<SnippetPage> {
    const [page, total] = await Promise.all([
      this.snippets.list(projectId, query),
      query.withTotal ? this.totalOf(projectId, query) : {},
    ]);
    return { ...page, items: page.items.map((row) => row.toSnippet()), ...total };
  }

  @Handles(snippets.update)
  async update({ caller, body, deadline }: Incoming<UpdateSnippetById>): Promise<Snippet> {
    const { id, ...changes } = body;
    const checked =
      changes.body === undefined
        ? null
        : await this.rendering.check({ projectId: caller.projectId, deadline }, 'body', changes.body);
    const row = await this.commits.before(deadline, async () => {
      await this.snippets.lockAll(caller.projectId);
      const locked = await this.found(this.snippets.lock(caller.projectId, id));
      const changed = locked.change(changes, checked?.includes);
      if (!changed) return locked;
      await this.refuseConflicts(locked);
      if (changed === 'version') await this.snippets.keepVersion(locked);
      return this.snippets.save(locked);
    });
    return row.toSnippet();
  }

  @Handles(snippets.delete)
  async delete({ caller, body, deadline }: Incoming<SnippetId>): Promise<DeletedSnippet> {
    await this.commits.before(deadline, async () => {
      await this.snippets.remove(await this.found(this.snippets.lock(caller.projectId, body.id)));
    });
    return { id: body.id };
  }

  /** Runs under the project's lock, so that of two concurrent changes that include each other the second is refused. */
  private async refuseConflicts({ projectId, id, name, includes }: SnippetRow): Promise<void> {
    await this.snippets.lockAll(projectId);
    if (await this.snippets.isNameTaken(projectId, name, id)) throw snippetNameTaken();
    const included = await this.snippets.withIncluded(projectId, includes);
    if ([{ includes }, ...included].some((snippet) => snippet.includes.includes(name))) {
      throw invalidMember(['body'], 'not_allowed', 'must not include itself, by other snippets either');
    }
  }

  private async totalOf(
    projectId: string,
    { search }: ListSnippets,
  ): Promise<Pick<SnippetPage, 'total' | 'totalIsCapped'>> {
    if (search === undefined) return { total: await this.snippets.total(projectId) };
    return cappedTotal(await this.snippets.countMatches(projectId, { search }));
  }

  private async found(checked: Promise<SnippetRow | null>): Promise<SnippetRow> {
    const row = await checked;
    if (!row) throw snippetNotFound();
    return row;
  }
}
