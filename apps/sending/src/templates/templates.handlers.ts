import { Controller } from '@nestjs/common';
import {
  templates,
  type CreateTemplate,
  type DeletedTemplate,
  type FindTemplates,
  type KnownTemplates,
  type LintReport,
  type LintTemplate,
  type ListTemplates,
  type ListTemplateVersions,
  type PreviewTemplateById,
  type RenderedTemplate,
  type Template,
  type TemplateId,
  type TemplatePage,
  type TemplateVersionPage,
  type UpdateTemplateById,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { LimitedPreviews } from './limited-previews.service.js';
import { TemplatesService } from './templates.service.js';

@Controller()
export class TemplatesHandlers {
  constructor(
    private readonly service: TemplatesService,
    private readonly previews: LimitedPreviews,
  ) {}

  @Handles(templates.create)
  create(call: Incoming<CreateTemplate>): Promise<Template> {
    return this.service.create(call);
  }

  @Handles(templates.get)
  get({ caller, body }: Incoming<TemplateId>): Promise<Template> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(templates.list)
  list({ caller, body }: Incoming<ListTemplates>): Promise<TemplatePage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(templates.known)
  known({ caller, body }: Incoming<FindTemplates>): Promise<KnownTemplates> {
    return this.service.known(caller.projectId, body.ids);
  }

  @Handles(templates.update)
  update(call: Incoming<UpdateTemplateById>): Promise<Template> {
    return this.service.update(call);
  }

  @Handles(templates.delete)
  delete(call: Incoming<TemplateId>): Promise<DeletedTemplate> {
    return this.service.delete(call);
  }

  @Handles(templates.versions)
  versions({ caller, body }: Incoming<ListTemplateVersions>): Promise<TemplateVersionPage> {
    return this.service.versions(caller.projectId, body);
  }

  @Handles(templates.preview)
  preview({ caller, body, deadline }: Incoming<PreviewTemplateById>): Promise<RenderedTemplate> {
    return this.previews.preview(caller, body, deadline);
  }

  @Handles(templates.lint)
  lint({ caller, body, deadline }: Incoming<LintTemplate>): Promise<LintReport> {
    return this.previews.lint(caller, body, deadline);
  }
}
