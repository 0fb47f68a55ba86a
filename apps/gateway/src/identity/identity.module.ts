import { Module } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Secrets } from '@posthorn/platform';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuthoritiesReadModel } from './authorities.read-model.js';
import { AuthoritiesService } from './authorities.service.js';
import { FailedAttempts } from './failed-attempts.js';
import { Guard } from './guard.js';
import { Identities } from './identities.js';
import { IdentitiesReadModel } from './identities.read-model.js';
import { KeyUsage } from './key-usage.js';
import { PeopleSecret } from './people-secret.js';

@Module({
  imports: [ApiKeysModule],
  providers: [
    AuthoritiesReadModel,
    AuthoritiesService,
    Guard,
    FailedAttempts,
    Identities,
    IdentitiesReadModel,
    KeyUsage,
    {
      provide: PeopleSecret,
      useFactory: (database: Database, secrets: Secrets) => PeopleSecret.open(database, secrets),
      inject: [Database, Secrets],
    },
  ],
  exports: [Guard, Identities, PeopleSecret],
})
export class IdentityModule {}
