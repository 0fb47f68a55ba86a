import { Injectable } from '@nestjs/common';
import {
  campaignContentUnknown,
  campaignMail,
  type ArchivedMail,
  type ArchivedContentId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Parser } from 'htmlparser2';
import { SendingConfig } from '../config.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { Rendering } from '../rendering/rendering.js';
import { TemplateTexts } from '../templates/template-texts.js';
import { CampaignMailRepository } from './campaign-mail.repository.js';

/** Whoever reads the public copy has no subscription of his own: the page says where the links to leave are. */
const linksOfNobody = (publicUrl: string) => {
  const explained = new URL('/u', publicUrl).href;
  return { unsubscribe_url: explained, manage_url: explained };
};

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
    private readonly config: SendingConfig,
  ) {}

  /** A content never changes, and its page is read again and again. */
  @Handles(campaignMail.archived)
  async render({
    caller: { projectId },
    body: { contentId },
    deadline,
  }: Incoming<ArchivedContentId>): Promise<ArchivedMail> {
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
    const { name, language, timeZone } = await this.projects.settingsOf(projectId);
    const { subject, html } = await this.rendering.preview(
      { projectId, deadline },
      {
        subject: content.subject,
        html: content.html || (templates[0] ? (loaded.template(templates[0])?.html ?? '') : ''),
        snippets: Object.fromEntries(snippets.map((ref) => [ref.name, loaded.snippet(ref)?.body ?? ''])),
        variables: { contact: { data: {} }, project: { name }, ...linksOfNobody(this.config.publicUrl) },
        now: content.createdAt,
        timeZone,
        category,
      },
    );
    return { subject, html: pageOf({ subject, html, language }) };
  }
}

interface Found {
  doctype: boolean;
  /** Where the elements end that begin the head, and the document. */
  head: number | null;
  html: number | null;
  /** Where the title begins, and whether it says something. */
  title: number | null;
  isTitled: boolean;
  viewport: boolean;
}

/** The HTML of a mail as a page of its own: mail has no title, and often neither a doctype nor a head. */
export function pageOf({
  subject,
  html,
  language,
}: {
  subject: string;
  html: string;
  language: string;
}): string {
  const found = partsOf(html);
  const { doctype, head, html: root, title } = found;
  const text = escaped(subject);
  const missing = [
    ...(title === null ? [`<title>${text}</title>`] : []),
    ...(found.viewport ? [] : ['<meta name="viewport" content="width=device-width, initial-scale=1">']),
  ].join('');
  const ownHead = `<head><meta charset="utf-8">${missing}</head>`;
  if (root === null && head === null)
    return `<!doctype html>\n<html lang="${escaped(language)}">${ownHead}<body>${html}</body></html>`;
  const insertions = [
    { at: head ?? root!, text: head === null ? ownHead : missing },
    ...(title !== null && !found.isTitled ? [{ at: title, text }] : []),
  ];
  const page = insertions
    .sort((one, other) => other.at - one.at)
    .reduce((whole, { at, text: added }) => whole.slice(0, at) + added + whole.slice(at), html);
  return doctype ? page : `<!doctype html>\n${page}`;
}

function partsOf(html: string): Found {
  const found: Found = {
    doctype: false,
    head: null,
    html: null,
    title: null,
    isTitled: false,
    viewport: false,
  };
  let inTitle = false;
  const parser = new Parser({
    onprocessinginstruction: (name) => {
      if (name.toLowerCase() === '!doctype') found.doctype = true;
    },
    onopentag: (name, attributes) => {
      const end = parser.endIndex + 1;
      if (name === 'html') found.html ??= end;
      if (name === 'head') found.head ??= end;
      // One in a drawing is not the page's.
      if (name === 'title' && found.head !== null && found.title === null) {
        found.title = end;
        inTitle = true;
      }
      if (name === 'meta' && attributes['name']?.toLowerCase() === 'viewport') found.viewport = true;
    },
    ontext: (text) => {
      if (inTitle && text.trim() !== '') found.isTitled = true;
    },
    onclosetag: (name) => {
      if (name === 'title') inTitle = false;
    },
  });
  parser.end(html);
  return found;
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
