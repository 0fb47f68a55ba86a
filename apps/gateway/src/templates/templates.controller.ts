import { Controller } from '@nestjs/common';
import {
  CreateTemplate,
  DeletedTemplate,
  LintReport,
  LintTemplate,
  PreviewTemplate,
  RenderedTemplate,
  senderNotVerified,
  Template,
  TemplateFilter,
  templateInUse,
  templateNotFound,
  templates,
  TemplateVersion,
  UpdateTemplate,
  type TemplatePage,
  type TemplateVersionPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';
import { renderingTime } from './rendering-time.js';

const bodyLimit = 3 * 1024 * 1024;

@Controller()
export class TemplatesController {
  constructor(private readonly bus: Bus) {}

  @Post('templates', {
    summary: 'Create a template',
    scope: 'templates:write',
    body: CreateTemplate,
    reply: Template,
    success: 'created',
    bodyLimit,
    errors: [senderNotVerified],
  })
  create({ caller, body }: RouteRequest<CreateTemplate>): Promise<Template> {
    return this.bus.call(templates.create, caller, body, renderingTime);
  }

  @Get('templates', {
    summary: 'List templates, newest first',
    scope: 'templates:read',
    query: TemplateFilter,
    listed: 'items',
    reply: Template,
  })
  list({ caller, query, listPage }: RouteRequest<object, TemplateFilter>): Promise<TemplatePage> {
    return this.bus.call(templates.list, caller, { ...query, ...listPage });
  }

  @Get('templates/:id', {
    summary: 'Get a template',
    scope: 'templates:read',
    reply: Template,
    missing: templateNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Template> {
    return this.bus.call(templates.get, caller, { id: params['id']! });
  }

  @Patch('templates/:id', {
    summary: 'Update a template',
    scope: 'templates:write',
    body: UpdateTemplate,
    reply: Template,
    bodyLimit,
    errors: [senderNotVerified],
    missing: templateNotFound,
  })
  update({ caller, params, body }: RouteRequest<UpdateTemplate>): Promise<Template> {
    return this.bus.call(templates.update, caller, { ...body, id: params['id']! }, renderingTime);
  }

  @Delete('templates/:id', {
    summary: 'Delete a template that is not in use',
    scope: 'templates:write',
    reply: DeletedTemplate,
    success: 'deleted',
    errors: [templateInUse],
    missing: templateNotFound,
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedTemplate> {
    return this.bus.call(templates.delete, caller, { id: params['id']! });
  }

  @Get('templates/:id/versions', {
    summary: 'List the versions of a template, newest first',
    scope: 'templates:read',
    listed: 'items',
    reply: TemplateVersion,
    missing: templateNotFound,
  })
  versions({ caller, params, listPage }: RouteRequest): Promise<TemplateVersionPage> {
    return this.bus.call(templates.versions, caller, { ...listPage, id: params['id']! });
  }

  @Post('templates/:id/preview', {
    summary: 'Render a template without sending it, and lint the result',
    scope: 'templates:read',
    body: PreviewTemplate,
    reply: RenderedTemplate,
    onlyReads: true,
    missing: templateNotFound,
  })
  preview({ caller, params, body }: RouteRequest<PreviewTemplate>): Promise<RenderedTemplate> {
    return this.bus.call(templates.preview, caller, { ...body, id: params['id']! }, renderingTime);
  }

  @Post('templates/lint', {
    summary: 'Lint a template body',
    scope: 'templates:read',
    body: LintTemplate,
    reply: LintReport,
    onlyReads: true,
    bodyLimit,
  })
  lint({ caller, body }: RouteRequest<LintTemplate>): Promise<LintReport> {
    return this.bus.call(templates.lint, caller, body, renderingTime);
  }
}
