import { event, query, request } from '../schema/contract.js';
import { emailCategories, type EmailCategory } from './domains.js';
import { DomainError, invalidMember } from '../common/errors.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Ids,
  Instant,
  Line,
  ListOf,
  Nullable,
  Optional,
  Text,
  Texts,
} from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** MJML is compiled to HTML with inlined styles when it is saved. */
export const templateFormats = ['html', 'mjml'] as const;
export type TemplateFormat = (typeof templateFormats)[number];

const maxTemplateBody = 1024 * 1024;
const maxData = 64 * 1024;

class TemplateContent {
  @Line(1, 998) subject: string;
  /** The source: HTML or MJML, at most 1 MiB. */
  @Text(1, maxTemplateBody) body: string;
  @Choice(templateFormats) format: TemplateFormat;
  /** A verified domain or the sandbox address of the project (422 `/from`). */
  @Address() @Nullable() from: string | null;
  @Line(1, 100) @Nullable() fromName: string | null;
  @Address() @Nullable() replyTo: string | null;
}

class TemplateHead {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(1, 100) name: string;
  @Text(0, 500) @Nullable() description: string | null;
}

class TemplateState {
  @Choice(emailCategories) emailCategory: EmailCategory;
  /** Increases when subject, body, format, from, from name or reply-to change. */
  @Count({ v1Only: true }) version: number;
  @Count({ legacyOnly: true }) currentVersion: number;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class TemplateText extends JoinFields(TemplateHead, TemplateContent) {}
export class Template extends JoinFields(TemplateText, TemplateState) {}

class TemplateBase extends PickFields(Template, ['name', 'subject', 'body']) {}
class TemplateSettings extends PickFields(Template, [
  'description',
  'format',
  'from',
  'fromName',
  'replyTo',
  'emailCategory',
]) {}

export class CreateTemplate extends JoinFields(TemplateBase, PartialFields(TemplateSettings)) {}

export class UpdateTemplate extends PartialFields(CreateTemplate) {}

export class TemplateId extends PickFields(Template, ['id']) {}

export class UpdateTemplateById extends JoinFields(TemplateId, UpdateTemplate) {}

export class TemplateFilter {
  @Text(1, 100) @Optional() search?: string;
  @Choice(emailCategories) @Optional() emailCategory?: EmailCategory;
}

export class ListTemplates extends JoinFields(PageQuery, TemplateFilter) {}

export class TemplatePage extends PageEnd {
  @ListOf(() => Template, 0, 100) items: Template[];
}

class VersionNumber {
  @Count({ min: 1 }) version: number;
}

const versioned = ['subject', 'body', 'format', 'from', 'fromName', 'replyTo', 'createdAt'] as const;
class VersionContent extends PickFields(Template, versioned) {}
export class TemplateVersion extends JoinFields(VersionNumber, VersionContent) {}

export class ListTemplateVersions extends JoinFields(PageQuery, TemplateId) {}

export class TemplateVersionPage extends PageEnd {
  @ListOf(() => TemplateVersion, 0, 100) items: TemplateVersion[];
}

export class DeletedTemplate extends PickFields(Template, ['id']) {}

export const lintRules = [
  'too_large', 'image_without_alt', 'insecure_image', 'broken_link', 'no_text', 'unsubscribe_missing', 'unknown_snippet', 'form', 'script',
  'low_contrast', 'unknown_time_zone',
] as const; // prettier-ignore
export type LintRule = (typeof lintRules)[number];

export const findingSeverities = ['ERROR', 'WARNING'] as const;
export type FindingSeverity = (typeof findingSeverities)[number];

export class Finding {
  @Choice(lintRules, { open: true }) rule: LintRule;
  @Choice(findingSeverities) severity: FindingSeverity;
  @Text(1, 500) message: string;
  /** Such as `line 3, column 7`; null if it has no position. */
  @Text(1, 100) @Nullable() place: string | null;
  @Text(1, 500) fix: string;
}

/** `data` as in a send; with `contactId` also the contact's address and fields. */
export class PreviewTemplate {
  @FreeMap({ max: maxData }) @Optional() data?: Record<string, unknown>;
  @Id() @Optional() contactId?: string;
}

export class PreviewTemplateById extends JoinFields(TemplateId, PreviewTemplate) {}

export class RenderedTemplate {
  @Text(0, 998) subject: string;
  @Text(0, 2 * 1024 * 1024) html: string;
  @Text(0, 4 * 1024 * 1024) text: string;
  @Count() size: number;
  /** Variables that are used but have no value. */
  @Texts(0, 1000, 1000) missing: string[];
  @ListOf(() => Finding, 0, 200) findings: Finding[];
}

class LintBody extends PickFields(Template, ['body']) {}
class LintSettings extends PickFields(Template, ['subject', 'format', 'emailCategory']) {}

export class LintTemplate extends JoinFields(LintBody, PartialFields(LintSettings)) {}

export class LintReport {
  @ListOf(() => Finding, 0, 200) findings: Finding[];
}

/** As many as a graph can name. */
const maxFoundTemplates = 200;

export class FindTemplates {
  @Ids(1, maxFoundTemplates) ids: string[];
}

export class KnownTemplates {
  @Ids(0, maxFoundTemplates) ids: string[];
}

export const templates = {
  /** Errors: `validation_error` for syntax errors (with line and column) and for `/from`. */
  create: request('sending.templates.create', CreateTemplate, Template),
  get: query('sending.templates.get', TemplateId, Template),
  list: query('sending.templates.list', ListTemplates, TemplatePage),
  /** Those of the ids that are templates of the project. */
  known: query('sending.templates.known', FindTemplates, KnownTemplates),
  update: request('sending.templates.update', UpdateTemplateById, Template),
  /** 409 while an unsent campaign or an enabled workflow uses it; its versions are kept for accepted messages. */
  delete: request('sending.templates.delete', TemplateId, DeletedTemplate),
  versions: query('sending.templates.versions', ListTemplateVersions, TemplateVersionPage),
  preview: query('sending.templates.preview', PreviewTemplateById, RenderedTemplate),
  lint: query('sending.templates.lint', LintTemplate, LintReport),
};

export class TemplateUse {
  @Flag() used: boolean;
}

export const templateUses = {
  campaigns: query('campaigns.templates.uses', TemplateId, TemplateUse),
  workflows: query('workflows.templates.uses', TemplateId, TemplateUse),
};

export class TemplateEvent {
  @Id() templateId: string;
  @Count() version: number;
  @Instant() at: Date;
}

export const templateEvents = {
  changed: event(
    'sending.template.changed',
    TemplateEvent,
    'A template was created or edited; its version increases if the content changed.',
  ),
  deleted: event('sending.template.deleted', TemplateEvent, 'A template was deleted.'),
};

export const templateNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such template');
export const templateInUse = () =>
  new DomainError('conflict', 'conflict', 'An unsent campaign or an enabled workflow uses the template');
/** A reference inside a body; deleted templates are reported like unknown ones. */
export const templateUnknown = (member = 'template') =>
  invalidMember([member], 'not_found', 'must be a template of this project');
