import { Injectable } from '@nestjs/common';
import type { PreviewSource } from '../rendering/preview.js';
import { TemplateTexts } from '../templates/template-texts.js';
import type { CampaignDraft } from './campaign-preparation.js';

export type Renderable = Omit<PreviewSource, 'variables'>;

/** What a draft is rendered from: its own content, else that of its template, with the snippets. */
@Injectable()
export class CampaignTexts {
  constructor(private readonly templateTexts: TemplateTexts) {}

  async of({
    projectId,
    content,
    subject,
    fromName,
    project,
    html,
    category,
  }: Omit<CampaignDraft, 'from' | 'project'> & {
    project: { timeZone?: string };
  }): Promise<Renderable> {
    const { templateId, templateVersion } = content;
    const templates = templateId ? [{ projectId, templateId, version: templateVersion! }] : [];
    const snippets = Object.entries(content.snippetVersions).map(([name, id]) => ({ name, projectId, id }));
    const loaded = await this.templateTexts.load(templates, snippets);
    return {
      subject,
      html: html || (templates[0] ? (loaded.template(templates[0])?.html ?? '') : ''),
      snippets: Object.fromEntries(snippets.map((ref) => [ref.name, loaded.snippet(ref)?.body ?? ''])),
      now: new Date(),
      timeZone: project.timeZone,
      ...(fromName === null ? {} : { fromName }),
      category,
    };
  }
}
