import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { LimitedPreviews, PreviewsService } from './previews.service.js';
import { SavedSources, TemplatesService, TemplateSenders, TemplateUses } from './templates.service.js';
import { TemplateTexts } from './template-texts.js';
import { TemplateTextsRepository } from './template-texts.repository.js';
import { TemplateDirectory } from './template-directory.js';
import { TemplatesRepository } from './templates.repository.js';
import { Rendering } from '../rendering/rendering.js';
import { SnippetsRepository } from '../snippets/snippets.repository.js';
import { SnippetsService } from '../snippets/snippets.service.js';

@Module({
  imports: [DomainsModule, ProjectsModule],
  providers: [
    ...onDatabase([TemplateTextsRepository, TemplatesRepository, SnippetsRepository]),
    LimitedPreviews,
    PreviewsService,
    SavedSources,
    TemplateTexts,
    TemplateDirectory,
    TemplateSenders,
    TemplatesService,
    TemplateUses,
    Rendering,
    SnippetsService,
  ],
  exports: [TemplateTexts, TemplateDirectory, Rendering],
})
export class TemplatesModule {}
