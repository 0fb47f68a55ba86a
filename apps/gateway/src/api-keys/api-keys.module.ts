import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../members/membership.module.js';
import { DelegationsModule } from '../oauth/delegations.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { GrantsService } from './grants.service.js';
import { KeyDomains } from './key-domains.js';
import { KeyIssuance } from './key-issuance.js';
import { KeyTemplates } from './key-templates.js';
import { RevealLinks } from './reveals/reveal-links.js';
import { KeyEvents } from './key-events.js';
import { RevealPurgesWork } from './reveals/reveal-purges.work.js';
import { RevealController } from './reveals/reveal.controller.js';
import { RevealsRepository } from './reveals/reveals.repository.js';
import { RevealsService } from './reveals/reveals.service.js';

@Module({
  imports: [AuditModule, ProjectsModule, MembershipModule, DelegationsModule],
  controllers: [ApiKeysController, RevealController],
  providers: [
    ApiKeysService,
    ApiKeysRepository,
    GrantsService,
    KeyDomains,
    KeyTemplates,
    KeyIssuance,
    RevealLinks,
    KeyEvents,
    RevealsService,
    RevealsRepository,
    RevealPurgesWork,
  ],
  exports: [ApiKeysRepository],
})
export class ApiKeysModule {}
