import { Injectable } from '@nestjs/common';
import {
  contentMissing,
  isMjml,
  type Caller,
  type CheckCampaignMail,
  type EmailCategory,
  type Mailbox,
  type PrepareCampaign,
} from '@posthorn/contracts';
import { trackingOf } from '../accepting/send-rules.js';
import { SenderDirectory } from '../domains/senders/sender-directory.js';
import { ProjectStates, type ProjectSettings } from '../projects/project-states.read-model.js';
import { Rendering } from '../rendering/rendering.js';
import { TemplateDirectory, type ResolvedContent } from '../templates/template-directory.js';
import type { CampaignContentRow } from './campaign-content.entity.js';

export type NewContent = Omit<CampaignContentRow, 'createdAt'>;

export interface CampaignDraft {
  projectId: string;
  project: Pick<ProjectSettings, 'name' | 'timeZone'>;
  fromName: string | null;
  content: ResolvedContent;
  from: Mailbox;
  category: EmailCategory;
  subject: string;
  html: string;
}

/** Fixes what the mail of a campaign is made of, so that later changes of a template or a setting do not affect it. */
@Injectable()
export class CampaignPreparation {
  constructor(
    private readonly templates: TemplateDirectory,
    private readonly senders: SenderDirectory,
    private readonly projects: ProjectStates,
    private readonly rendering: Rendering,
  ) {}

  async draftOf(caller: Caller, requested: CheckCampaignMail): Promise<CampaignDraft> {
    const missing = missingIn(requested);
    if (missing.length > 0) throw contentMissing(...missing);
    const { projectId } = caller;
    const body = await this.htmlOf(projectId, requested.body);
    const content = await this.contentOf(projectId, { ...requested, body });
    const from = await this.senders.currentSenderFor(
      caller,
      senderOf(requested, content),
      requested.category,
    );
    const { name, timeZone } = await this.projects.settingsOf(projectId);
    const { category } = requested;
    return {
      projectId,
      content,
      from,
      project: { name, timeZone },
      fromName: requested.fromName ?? from.name ?? null,
      category,
      subject: content.subject ?? '',
      html: body ?? '',
    };
  }

  async check(caller: Caller, draft: CheckCampaignMail): Promise<boolean> {
    const body = await this.htmlOf(caller.projectId, draft.body);
    await this.contentOf(caller.projectId, { ...draft, body });
    if (draft.from !== null)
      await this.senders.currentSenderFor(caller, { email: draft.from }, draft.category);
    return missingIn(draft).length === 0;
  }

  async prepare(caller: Caller, requested: PrepareCampaign): Promise<NewContent> {
    const { campaignId, contentId, replyTo, listId = null, topicId = null } = requested;
    const { projectId, actor } = caller;
    const { content, from, fromName, category, subject, html } = await this.draftOf(caller, requested);
    const { tracking } = await this.projects.settingsOf(projectId);
    return {
      projectId,
      id: contentId,
      campaignId,
      listId,
      topicId,
      acceptedBy: `${actor.kind} ${actor.id}`,
      fromEmail: from.email,
      fromName,
      category,
      subject,
      html,
      replyTo: replyTo === null ? content.replyTo : { email: replyTo },
      templateId: content.templateId,
      templateVersion: content.templateVersion,
      liquid: content.liquid,
      snippetVersions: content.liquid ? content.snippetVersions : null,
      ...trackingOf(tracking, category, undefined),
    };
  }

  async htmlOf(projectId: string, body: string | null): Promise<string | null> {
    return body !== null && isMjml(body) ? this.rendering.compile({ projectId, deadline: null }, body) : body;
  }

  private contentOf(
    projectId: string,
    { templateId, subject, body, from, fromName }: CheckCampaignMail,
  ): Promise<ResolvedContent> {
    return this.templates.resolve(projectId, {
      templateId: templateId ?? undefined,
      members: { template: 'templateId', fromName: 'fromName' },
      subject: subject ?? undefined,
      html: body ?? undefined,
      fromName: fromName ?? (from === null ? undefined : ''),
    });
  }
}

function missingIn({ templateId, subject, body }: CheckCampaignMail): ('subject' | 'body')[] {
  if (templateId) return [];
  return [...(subject ? [] : (['subject'] as const)), ...(body ? [] : (['body'] as const))];
}

const senderOf = ({ from }: CheckCampaignMail, content: ResolvedContent): Mailbox | undefined =>
  from === null ? (content.from ?? undefined) : { email: from };
