import { Injectable } from '@nestjs/common';
import {
  workflowMail,
  type ContentToAnalyse,
  type RenderedTexts,
  type RenderTexts,
  type TriedWorkflowMail,
  type TryWorkflowMail,
  type UsedVariables,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { CampaignPreparation } from '../campaign-mail/campaign-preparation.js';
import { CampaignTexts } from '../campaign-mail/campaign-texts.js';
import { Rendering } from '../rendering/rendering.js';
import { TemplateDirectory } from '../templates/template-directory.js';
import { sampleLinks } from '../templates/previews.service.js';

@Injectable()
export class WorkflowMailService {
  constructor(
    private readonly preparation: CampaignPreparation,
    private readonly campaignTexts: CampaignTexts,
    private readonly rendering: Rendering,
    private readonly templates: TemplateDirectory,
  ) {}

  @Handles(workflowMail.texts)
  async texts({ caller, body: { items }, deadline }: Incoming<RenderTexts>): Promise<RenderedTexts> {
    const owner = { projectId: caller.projectId, deadline };
    const now = new Date();
    return {
      items: await Promise.all(
        items.map(async ({ texts, variables }) => {
          const rendered = await this.rendering.texts(owner, {
            texts: texts.map(({ text }) => text),
            variables,
            now,
          });
          return Array.isArray(rendered)
            ? { texts: rendered.map((text) => ({ text })), error: null }
            : { texts: [], error: rendered };
        }),
      ),
    };
  }

  @Handles(workflowMail.uses)
  async uses({
    caller: { projectId },
    body: { template, subject, body, from, texts = [] },
    deadline,
  }: Incoming<ContentToAnalyse>): Promise<UsedVariables> {
    const own = { subject, html: body };
    const content = await this.templates.resolve(projectId, { templateId: template, ...own });
    const source = await this.campaignTexts.of({
      projectId,
      content,
      subject: content.subject ?? '',
      html: body ?? '',
      fromName: from?.name ?? content.from?.name ?? null,
      category: content.category,
      project: {},
    });
    const { subject: shown, html, fromName = '' } = source;
    const sources = [shown, html, fromName, ...texts.map(({ text }) => text)];
    return {
      paths: await this.rendering.uses({ projectId, deadline }, { sources, snippets: source.snippets }),
    };
  }

  @Handles(workflowMail.tryOut)
  async tryOut({
    caller,
    body: { template, subject, body, from, variables },
    deadline,
  }: Incoming<TryWorkflowMail>): Promise<TriedWorkflowMail> {
    const draft = await this.preparation.draftOf(caller, {
      templateId: template ?? null,
      subject: subject ?? null,
      body: body ?? null,
      from: from?.email ?? null,
      fromName: from?.name ?? null,
      category: 'MARKETING',
    });
    const source = await this.campaignTexts.of(draft);
    const rendered = await this.rendering.preview(
      { projectId: caller.projectId, deadline },
      { ...source, variables: { ...variables, project: { name: draft.project.name }, ...sampleLinks } },
    );
    return { from: draft.from.email, subject: rendered.subject, html: rendered.html, text: rendered.text };
  }
}
