import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SystemMailsModule } from '../system-mails/system-mails.module.js';
import { SignInLimits } from './sign-in-limits/sign-in-limits.js';
import { SignInLimitsRepository } from './sign-in-limits/sign-in-limits.repository.js';
import { ChoresWork } from './chores.work.js';
import { ExpiredRepository } from './expired.repository.js';
import { PeopleEndpoint } from './library/people-endpoint.js';
import { PeopleKeys } from './library/people-keys.js';
import { PeopleLibrary } from './library/people-library.js';
import { People } from './people.js';
import { PeopleMails } from './people-mails.js';
import { SignUps } from './sign-ups.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [IdentityModule, ProjectsModule, SystemMailsModule],
  controllers: [SessionsController],
  providers: [
    People,
    PeopleLibrary,
    PeopleKeys,
    PeopleEndpoint,
    PeopleMails,
    ChoresWork,
    ExpiredRepository,
    SignInLimits,
    SignInLimitsRepository,
    SessionsRepository,
    SignUps,
    UsersService,
  ],
  exports: [People, PeopleKeys, PeopleMails, SessionsRepository],
})
export class PeopleModule {}
