import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { RenderingModule } from '../rendering/rendering.module.js';
import { SnippetsModule } from '../snippets/snippets.module.js';
import { LimitedPreviews } from './limited-previews.service.js';
import { PreviewsService } from './previews.service.js';
import { SavedSources } from './saved-sources.js';
import { TemplateTexts } from './template-texts.js';
import { TemplateTextsRepository } from './template-texts.repository.js';
import { TemplateDirectory } from './template-directory.js';
import { TemplateSenders } from './template-senders.js';
import { TemplateUses } from './template-uses.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

@Module({
  imports: [DomainsModule, ProjectsModule, RenderingModule, SnippetsModule],
  providers: [
    ...onDatabase([TemplateTextsRepository, TemplatesRepository]),
    LimitedPreviews,
    PreviewsService,
    SavedSources,
    TemplateTexts,
    TemplateDirectory,
    TemplateSenders,
    TemplatesService,
    TemplateUses,
  ],
  exports: [TemplateTexts, TemplateDirectory],
})
export class TemplatesModule {}
