import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { FrontPage } from './front-page.js';
import { PageRouter } from './page-router.js';
import { Senders } from './senders.js';

@Module({
  imports: [IdentityModule, PipelineModule, ProjectsModule],
  providers: [PageRouter, FrontPage, Senders],
  exports: [PageRouter, Senders],
})
export class PagesModule {}
