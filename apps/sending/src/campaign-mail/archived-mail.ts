import { Injectable } from '@nestjs/common';
import { campaignContentUnknown, type ArchivedMail } from '@posthorn/contracts';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { Rendering } from '../rendering/rendering.js';
import { TemplateTexts } from '../templates/template-texts.js';
import { CampaignMailRepository } from './campaign-mail.repository.js';

/** Links that lead nowhere: whoever reads the public copy has no subscription of his own. */
const noLinks = { unsubscribe_url: '#', manage_url: '#' };

/** Each up to 2 MiB, and most of them far smaller. */
const maxRendered = 20;

/** The mail of a campaign as somebody sees it who is no contact. */
@Injectable()
export class ArchivedMails {
  private readonly rendered = new Map<string, ArchivedMail>();

  constructor(
    private readonly mail: CampaignMailRepository,
    private readonly templateTexts: TemplateTexts,
    private readonly projects: ProjectStates,
    private readonly rendering: Rendering,
  ) {}

  /** A content never changes, and its page is read again and again. */
  async render(projectId: string, contentId: string, deadline: Date | null): Promise<ArchivedMail> {
    const key = `${projectId} ${contentId}`;
    const known = this.rendered.get(key);
    if (known) return known;
    const mail = await this.renderNow(projectId, contentId, deadline);
    if (this.rendered.size >= maxRendered) this.rendered.delete(this.rendered.keys().next().value!);
    this.rendered.set(key, mail);
    return mail;
  }

  private async renderNow(
    projectId: string,
    contentId: string,
    deadline: Date | null,
  ): Promise<ArchivedMail> {
    const content = await this.mail.content(projectId, contentId);
    if (!content) throw campaignContentUnknown();
    const { templateId, templateVersion, category } = content;
    const templates = templateId ? [{ projectId, templateId, version: templateVersion! }] : [];
    const snippets = Object.entries(content.snippetVersions ?? {}).map(([name, id]) => ({
      name,
      projectId,
      id,
    }));
    const loaded = await this.templateTexts.load(templates, snippets);
    const { name, timeZone } = await this.projects.settingsOf(projectId);
    const { subject, html } = await this.rendering.preview(
      { projectId, deadline },
      {
        subject: content.subject,
        html: content.html || (templates[0] ? (loaded.template(templates[0])?.html ?? '') : ''),
        snippets: Object.fromEntries(snippets.map((ref) => [ref.name, loaded.snippet(ref)?.body ?? ''])),
        variables: { contact: { data: {} }, project: { name }, ...noLinks },
        now: content.createdAt,
        timeZone,
        category,
      },
    );
    return { subject, html };
  }
}
