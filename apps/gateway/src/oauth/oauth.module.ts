import { Module } from '@nestjs/common';
import { PagesModule } from '../pages/pages.module.js';
import { PeopleModule } from '../people/people.module.js';
import { ApplicationsPages } from './applications.pages.js';
import { ApplicationsService } from './applications.service.js';
import { ConsentPages } from './consent.pages.js';
import { DelegationsModule } from './delegations.module.js';
import { OAuthEndpoint } from './oauth-endpoint.js';

@Module({
  imports: [DelegationsModule, PeopleModule, PagesModule],
  providers: [OAuthEndpoint, ConsentPages, ApplicationsPages, ApplicationsService],
})
export class OAuthModule {}
