import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { DomainsModule } from '../domains/domains.module.js';
import { AttachmentsRepository } from '../emails/attachments.repository.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { Composer } from './composer.js';
import { ContactVariables } from './contact-variables.js';
import { RecipientContactIds } from './recipient-contacts.js';
import { ContactVariablesRepository } from './contact-variables.repository.js';

@Module({
  imports: [DomainsModule, ProjectsModule, TemplatesModule],
  providers: [
    ...onDatabase([AttachmentsRepository, ContactVariablesRepository]),
    Composer,
    ContactVariables,
    RecipientContactIds,
  ],
  exports: [Composer],
})
export class ComposingModule {}
