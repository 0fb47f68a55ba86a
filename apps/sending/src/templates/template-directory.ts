import { Injectable } from '@nestjs/common';
import { templateUnknown, type Mailbox, type EmailCategory } from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import { hasLiquid } from '../rendering/liquid/liquid.js';
import { Rendering, type JobOwner } from '../rendering/rendering.js';
import type { CheckedSource } from '../rendering/template-check.js';
import { SnippetsRepository } from '../snippets/snippets.repository.js';
import { TemplatesRepository, type CurrentTemplate } from './templates.repository.js';

export interface RequestedContent {
  templateId?: string;
  /** Where errors are shown; as in a send by default. */
  members?: { template: string; fromName: string };
  subject?: string;
  html?: string;
  text?: string;
  /** Empty where the sender has an address only. */
  fromName?: string;
}

/** What a message is rendered from, as far as acceptance fixes it; the fields of its contact are fixed by the first claim. */
export interface ResolvedContent {
  templateId: string | null;
  templateVersion: number | null;
  subject: string | null;
  from: Mailbox | null;
  replyTo: Mailbox | null;
  category: EmailCategory;
  snippetVersions: Record<string, string>;
  liquid: boolean;
}

const membersOfSend = { template: 'template', fromName: 'from' };

@Injectable()
export class TemplateDirectory {
  private readonly currentTemplates = new TtlCache((projectId, id) =>
    this.templates.current(projectId!, id!),
  );
  private readonly includedSnippets = new TtlCache((projectId, ...names) =>
    this.loadIncluded(projectId!, names),
  );

  constructor(
    private readonly templates: TemplatesRepository,
    private readonly snippets: SnippetsRepository,
    private readonly rendering: Rendering,
  ) {}

  async resolve(
    projectId: string,
    { templateId, members = membersOfSend, ...texts }: RequestedContent,
    deadline: Date | null = null,
  ): Promise<ResolvedContent> {
    const template =
      templateId === undefined ? null : await this.currentOf(projectId, templateId, members.template);
    const fromName = texts.fromName ?? template?.fromName ?? undefined;
    const { subject, html, text } = texts;
    const sources = { subject, body: html, text, [members.fromName]: fromName };
    const own = await this.checkOwn({ projectId, deadline }, sources);
    // Where the send provides subject and body, the template contributes only its sender, Reply-To and category.
    const replaced = texts.subject !== undefined && texts.html !== undefined;
    const includes = [...own.includes, ...(replaced ? [] : (template?.includes ?? []))];
    return {
      templateId: template?.id ?? null,
      templateVersion: template?.version ?? null,
      subject: texts.subject ?? template?.subject ?? null,
      from: mailboxOf(template?.from ?? null, template?.fromName ?? null),
      replyTo: mailboxOf(template?.replyTo ?? null, null),
      category: template?.emailCategory ?? 'TRANSACTIONAL',
      snippetVersions:
        includes.length === 0
          ? {}
          : ((await this.includedSnippets.of(projectId, ...[...new Set(includes)].sort())) ?? {}),
      liquid: own.liquid || (!replaced && template?.liquid === true),
    };
  }

  private async currentOf(projectId: string, id: string, member?: string): Promise<CurrentTemplate> {
    const template = await this.currentTemplates.of(projectId, id);
    if (!template) throw templateUnknown(member);
    return template;
  }

  private async checkOwn(
    owner: JobOwner,
    sources: Record<string, string | undefined>,
  ): Promise<CheckedSource> {
    const checked: CheckedSource[] = [];
    for (const [member, source] of Object.entries(sources)) {
      if (source !== undefined && hasLiquid(source))
        checked.push(await this.rendering.check(owner, member, source));
    }
    return { includes: checked.flatMap(({ includes }) => includes), liquid: checked.length > 0 };
  }

  private async loadIncluded(projectId: string, names: string[]): Promise<Record<string, string>> {
    return Object.fromEntries(
      (await this.snippets.withIncluded(projectId, names)).map(({ name, versionId }) => [name, versionId]),
    );
  }
}

const mailboxOf = (email: string | null, name: string | null): Mailbox | null =>
  email === null ? null : { email, ...(name ? { name } : {}) };
