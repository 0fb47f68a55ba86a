import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DomainsModule } from '../domains/domains.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
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
  exports: [TemplateTexts, TemplateDirectory, Rendering, SnippetsRepository],
})
export class TemplatesModule {}
