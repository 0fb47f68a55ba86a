import { Injectable } from '@nestjs/common';
import {
  contacts,
  DomainError,
  invalidMember,
  templateNotFound,
  type Caller,
  type LintReport,
  type LintTemplate,
  type PreviewTemplateById,
  type RenderedTemplate,
  templates,
} from '@posthorn/contracts';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { DatabaseClock } from '@posthorn/database';
import { LimitedRuns } from '@posthorn/platform';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { Rendering } from '../rendering/rendering.js';
import { SnippetsRepository } from '../snippets/snippets.repository.js';
import { TemplateTextsRepository } from './template-texts.repository.js';
import { TemplatesRepository } from './templates.repository.js';

export const sampleLinks = {
  unsubscribe_url: 'https://example.com/u/preview',
  manage_url: 'https://example.com/p/preview',
};

@Injectable()
export class PreviewsService {
  constructor(
    private readonly templates: TemplatesRepository,
    private readonly templateTexts: TemplateTextsRepository,
    private readonly snippets: SnippetsRepository,
    private readonly rendering: Rendering,
    private readonly projects: ProjectStates,
    private readonly bus: Bus,
  ) {}

  async preview(
    caller: Caller,
    { id, data = {}, contactId }: PreviewTemplateById,
    deadline: Date | null,
  ): Promise<RenderedTemplate> {
    const { projectId } = caller;
    const row = await this.templates.find(projectId, id);
    if (!row) throw templateNotFound();
    const [{ name, timeZone }, contact, [source], snippets] = await Promise.all([
      this.projects.settingsOf(projectId),
      contactId === undefined ? {} : this.variablesOf(caller, contactId),
      this.templateTexts.templates([{ projectId, templateId: id, version: row.version }]),
      this.snippetsIn(projectId, row.includes),
    ]);
    const { subject, html } = source!;
    const variables = { ...contact, project: { name }, ...data, ...sampleLinks };
    return this.rendering.preview(
      { projectId, deadline },
      {
        subject,
        html,
        variables,
        snippets,
        now: new Date(),
        timeZone,
        fromName: row.fromName ?? undefined,
        category: row.emailCategory,
      },
    );
  }

  async lint(
    { projectId }: Caller,
    { body, subject = '', format = 'html', emailCategory = 'MARKETING' }: LintTemplate,
    deadline: Date | null,
  ): Promise<LintReport> {
    const owner = { projectId, deadline };
    const [inSubject, inBody] = await Promise.all([
      this.rendering.check(owner, 'subject', subject),
      this.rendering.check(owner, 'body', body),
    ]);
    const html = format === 'mjml' ? await this.rendering.compile(owner, body) : body;
    const snippets = await this.snippetsIn(projectId, [...inSubject.includes, ...inBody.includes]);
    return {
      findings: await this.rendering.lint(owner, { subject, html, snippets, category: emailCategory }),
    };
  }

  private async snippetsIn(projectId: string, names: string[]): Promise<Record<string, string>> {
    return Object.fromEntries(
      (await this.snippets.withIncluded(projectId, names)).map(({ name, body }) => [name, body]),
    );
  }

  private async variablesOf(caller: Caller, id: string): Promise<Record<string, unknown>> {
    const { email, customFields } = await this.bus.call(contacts.get, caller, { id }).catch(refuseUnknown);
    return { ...customFields, contact: { email, id, data: customFields } };
  }
}

function refuseUnknown(error: unknown): never {
  throw error instanceof DomainError && error.kind === 'not_found'
    ? invalidMember(['contactId'], 'not_found', 'must be a contact of this project')
    : error;
}

/** Few, because each of them holds its sources. */
const limits = {
  what: 'previews of templates',
  running: 2,
  perProject: 1,
  waitingPerProject: 8,
  waiting: 32,
};

@Injectable()
export class LimitedPreviews {
  private readonly runs = new LimitedRuns(limits);

  constructor(
    private readonly previews: PreviewsService,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(templates.preview)
  preview({ caller, body, deadline }: Incoming<PreviewTemplateById>): Promise<RenderedTemplate> {
    return this.limited(caller, { preview: body }, deadline, () =>
      this.previews.preview(caller, body, deadline),
    );
  }

  @Handles(templates.lint)
  lint({ caller, body, deadline }: Incoming<LintTemplate>): Promise<LintReport> {
    return this.limited(caller, { lint: body }, deadline, () => this.previews.lint(caller, body, deadline));
  }

  private async limited<T>(
    { projectId }: Caller,
    request: object,
    deadline: Date | null,
    work: () => Promise<T>,
  ): Promise<T> {
    const remainingMs = await this.clock.msUntil(deadline);
    return this.runs.run(projectId, JSON.stringify(request), remainingMs, work);
  }
}
