import { Injectable } from '@nestjs/common';
import {
  templateEvents,
  templateNotFound,
  templates,
  type CreateTemplate,
  type DeletedTemplate,
  type KnownTemplates,
  type ListTemplates,
  type ListTemplateVersions,
  type Template,
  type TemplateId,
  type TemplatePage,
  type TemplateVersionPage,
  type UpdateTemplateById,
  type FindTemplates,
  domainOf,
  projects,
  senderNotVerified,
  serviceCaller,
  type Caller,
  templateInUse,
  templateUses,
} from '@posthorn/contracts';
import { cappedTotal, newId } from '@posthorn/database';
import { Outbox, Handles, type Incoming, Bus } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { TemplateRow } from './template.entity.js';
import { TemplatesRepository } from './templates.repository.js';
import { Rendering } from '../rendering/rendering.js';
import { SendingConfig } from '../config.js';
import { SenderDirectory } from '../domains/senders/sender-directory.js';

const time = { timeoutShare: 0.45 };

/** Campaigns and workflows are queried at deletion; without their answers nothing is deleted. */
@Injectable()
export class TemplateUses {
  constructor(private readonly bus: Bus) {}

  async refuseUsed(caller: Caller, id: string): Promise<void> {
    const answers = await Promise.all(
      Object.values(templateUses).map((contract) => this.bus.call(contract, caller, { id }, time)),
    );
    if (answers.some(({ used }) => used)) throw templateInUse();
  }
}

/** A template may name a sender of a verified domain or of the sandbox; the key is checked when it is sent. */
@Injectable()
export class TemplateSenders {
  constructor(
    private readonly senders: SenderDirectory,
    private readonly config: SendingConfig,
    private readonly bus: Bus,
  ) {}

  async refuseUnverified({ projectId }: Caller, from: string | null | undefined): Promise<void> {
    if (!from) return;
    const project = serviceCaller('sending', projectId);
    if (domainOf(from) !== this.config.sandboxDomain) await this.senders.senderFor(project, { email: from });
    else if (from !== (await this.sandboxOf(project))) throw senderNotVerified();
  }

  private async sandboxOf(project: Caller): Promise<string> {
    const { sandboxHandle } = await this.bus.call(projects.get, project, { id: project.projectId });
    return `${sandboxHandle}@${this.config.sandboxDomain}`;
  }
}

/** Compiles and analyses a template when it is saved, so that sending need not. */
@Injectable()
export class SavedSources {
  constructor(private readonly rendering: Rendering) {}

  async prepare(row: TemplateRow, deadline: Date | null): Promise<string | null> {
    const owner = { projectId: row.projectId, deadline };
    const [subject, body, fromName] = await Promise.all([
      this.rendering.check(owner, 'subject', row.subject),
      this.rendering.check(owner, 'body', row.body),
      this.rendering.check(owner, 'fromName', row.fromName ?? ''),
    ]);
    const html = row.format === 'mjml' ? await this.rendering.compile(owner, row.body) : null;
    if (html !== null) await this.rendering.check(owner, 'body', html);
    const checked = [subject, body, fromName];
    row.includes = [...new Set(checked.flatMap(({ includes }) => includes))];
    row.liquid = checked.some(({ liquid }) => liquid);
    return html;
  }
}

@Injectable()
export class TemplatesService {
  constructor(
    private readonly templates: TemplatesRepository,
    private readonly sources: SavedSources,
    private readonly senders: TemplateSenders,
    private readonly uses: TemplateUses,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
  ) {}

  @Handles(templates.create)
  async create({ caller, body, deadline }: Incoming<CreateTemplate>): Promise<Template> {
    const draft = draftOf(caller.projectId, body);
    await this.senders.refuseUnverified(caller, draft.from);
    const html = await this.sources.prepare(draft, deadline);
    const row = await this.commits.before(deadline, async () => {
      await this.templates.keepVersion(draft, html);
      return this.publish(await this.templates.add(draft));
    });
    return row.toTemplate();
  }

  @Handles(templates.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<TemplateId>): Promise<Template> {
    return (await this.found(this.templates.find(projectId, id))).toTemplate();
  }

  @Handles(templates.known)
  async known({ caller: { projectId }, body: { ids } }: Incoming<FindTemplates>): Promise<KnownTemplates> {
    return { ids: await this.templates.idsAmong(projectId, ids) };
  }

  @Handles(templates.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListTemplates>): Promise<TemplatePage> {
    const [page, total] = await Promise.all([
      this.templates.list(projectId, query),
      query.withTotal ? this.totalOf(projectId, query) : {},
    ]);
    return { ...page, items: page.items.map((row) => row.toTemplate()), ...total };
  }

  @Handles(templates.update)
  async update(call: Incoming<UpdateTemplateById>): Promise<Template> {
    await this.senders.refuseUnverified(call.caller, call.body.from);
    let row: TemplateRow | null;
    // Compiled outside of the transaction, and compiled again where another change was faster.
    do row = await this.change(call);
    while (!row);
    return row.toTemplate();
  }

  @Handles(templates.delete)
  async delete({ caller, body, deadline }: Incoming<TemplateId>): Promise<DeletedTemplate> {
    await this.found(this.templates.find(caller.projectId, body.id));
    await this.uses.refuseUsed(caller, body.id);
    await this.commits.before(deadline, async () => {
      const row = await this.found(this.templates.lock(caller.projectId, body.id));
      const at = await this.templates.remove(row);
      await this.outbox.publish(templateEvents.deleted, caller.projectId, [{ ...row.toEvent(), at }]);
    });
    return { id: body.id };
  }

  @Handles(templates.versions)
  async versions({
    caller: { projectId },
    body: query,
  }: Incoming<ListTemplateVersions>): Promise<TemplateVersionPage> {
    const { version } = await this.found(this.templates.find(projectId, query.id));
    const page = await this.templates.versions(projectId, query);
    return {
      ...page,
      items: page.items.map((row) => row.toVersion()),
      ...(query.withTotal ? { total: version } : {}),
    };
  }

  private async change({
    caller,
    body,
    deadline,
  }: Incoming<UpdateTemplateById>): Promise<TemplateRow | null> {
    const { id, ...changes } = body;
    const row = await this.found(this.templates.find(caller.projectId, id));
    const changed = row.change(changes);
    if (!changed) return row;
    const html = changed === 'version' ? await this.sources.prepare(row, deadline) : null;
    return this.commits.before(deadline, async () => {
      const locked = await this.found(this.templates.lock(caller.projectId, id));
      if (locked.seq !== row.seq) return null;
      if (changed === 'version') await this.templates.keepVersion(row, html);
      return this.publish(await this.templates.save(row));
    });
  }

  private async publish(row: TemplateRow): Promise<TemplateRow> {
    await this.outbox.publish(templateEvents.changed, row.projectId, [row.toEvent()]);
    return row;
  }

  private async totalOf(
    projectId: string,
    { search, emailCategory }: ListTemplates,
  ): Promise<Pick<TemplatePage, 'total' | 'totalIsCapped'>> {
    if (search === undefined && emailCategory === undefined)
      return { total: await this.templates.total(projectId) };
    return cappedTotal(await this.templates.countMatches(projectId, { search, emailCategory }));
  }

  private async found(checked: Promise<TemplateRow | null>): Promise<TemplateRow> {
    const row = await checked;
    if (!row) throw templateNotFound();
    return row;
  }
}

function draftOf(projectId: string, wanted: CreateTemplate): TemplateRow {
  const { name, subject, body, format = 'html', emailCategory = 'MARKETING' } = wanted;
  const { description = null, from = null, fromName = null, replyTo = null } = wanted;
  return Object.assign(new TemplateRow(), {
    projectId,
    id: newId(),
    name,
    description,
    subject,
    body,
    format,
    from,
    fromName,
    replyTo,
    emailCategory,
    version: 1,
    includes: [],
    liquid: false,
  });
}
