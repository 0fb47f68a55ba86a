import { Module } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Secrets } from '@posthorn/platform';
import { ApiKeysController } from '../api-keys/api-keys.controller.js';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { GrantsService } from '../api-keys/grants.service.js';
import { KeyEvents } from '../api-keys/key-events.js';
import { KeyIssuance } from '../api-keys/key-issuance.js';
import { RevealLinks } from '../api-keys/reveals/reveal-links.js';
import { RevealPurgesWork } from '../api-keys/reveals/reveal-purges.work.js';
import { RevealController } from '../api-keys/reveals/reveal.controller.js';
import { RevealsRepository } from '../api-keys/reveals/reveals.repository.js';
import { RevealsService } from '../api-keys/reveals/reveals.service.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthoritiesReadModel } from './authorities.read-model.js';
import { AuthoritiesService } from './authorities.service.js';
import { FailedCredentials } from './failed-credentials.js';
import { Guard } from './guard.js';
import { Identities } from './identities.js';
import { IdentitiesReadModel } from './identities.read-model.js';
import { KeyUsage } from './key-usage.js';
import { PeopleSecret } from './people-secret.js';
import { DelegationsRepository } from '../oauth/delegations.repository.js';
import { DelegationsService } from '../oauth/delegations.service.js';
import { ProjectsModule } from '../projects/projects.module.js';

@Module({
  imports: [AuditModule, ProjectsModule],
  controllers: [ApiKeysController, RevealController],
  providers: [
    AuthoritiesReadModel,
    AuthoritiesService,
    Guard,
    FailedCredentials,
    Identities,
    IdentitiesReadModel,
    KeyUsage,
    {
      provide: PeopleSecret,
      useFactory: (database: Database, secrets: Secrets) => PeopleSecret.open(database, secrets),
      inject: [Database, Secrets],
    },
    ApiKeysService,
    ApiKeysRepository,
    GrantsService,
    KeyIssuance,
    RevealLinks,
    KeyEvents,
    RevealsService,
    RevealsRepository,
    RevealPurgesWork,
    DelegationsService,
    DelegationsRepository,
  ],
  exports: [Guard, Identities, PeopleSecret, DelegationsService, DelegationsRepository],
})
export class IdentityModule {}
