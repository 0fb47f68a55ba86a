import { Global, Module } from '@nestjs/common';
import { AnalyticsController } from './analytics/analytics.controller.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuditModule } from './audit/audit.module.js';
import { CampaignsModule } from './campaigns/campaigns.module.js';
import { CompatModule } from './compat/compat.module.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { DomainsModule } from './domains/domains.module.js';
import { routeSources } from './all-routes.js';
import { RouteTable, routeTable } from './routes/route-table.js';
import { PipelineModule } from './pipeline/pipeline.module.js';
import { EmailsModule } from './emails/emails.module.js';
import { EngagementModule } from './engagement/engagement.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { EventsController } from './events/events.controller.js';
import { HealthModule } from './health/health.module.js';
import { IdentityModule } from './identity/identity.module.js';
import { ListsModule } from './lists/lists.module.js';
import { MembersModule } from './members/members.module.js';
import { MembershipModule } from './members/membership.module.js';
import { DelegationsModule } from './oauth/delegations.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { DocumentationModule } from './openapi/documentation.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PeoplePagesModule } from './people/pages/people-pages.module.js';
import { PeopleModule } from './people/people.module.js';
import { OwnProjectsModule } from './projects/own-projects.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ProviderHooksModule } from './provider-hooks/provider-hooks.module.js';
import { ReputationModule } from './reputation/reputation.module.js';
import { UsageModule } from './usage/usage.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { SystemMailsModule } from './system-mails/system-mails.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Their routes need nothing of a noun's own. */
const controllers = [AnalyticsController, EventsController, SuppressionsController];

@Global()
@Module({
  providers: [{ provide: RouteTable, useFactory: () => routeTable(routeSources) }],
  exports: [RouteTable],
})
class RouteTableModule {}

@Module({
  controllers,
  imports: [
    RouteTableModule,
    AuditModule,
    ProjectsModule,
    MembershipModule,
    OwnProjectsModule,
    DelegationsModule,
    ApiKeysModule,
    RateLimitModule,
    IdentityModule,
    PipelineModule,
    HealthModule,
    DocumentationModule,
    PagesModule,
    SystemMailsModule,
    PeopleModule,
    PeoplePagesModule,
    OAuthModule,
    MembersModule,
    SecretsModule,
    ErasuresModule,
    DomainsModule,
    EmailsModule,
    CompatModule,
    EngagementModule,
    ProviderHooksModule,
    ReputationModule,
    UsageModule,
    ListsModule,
    ContactsModule,
    CampaignsModule,
    WebhooksModule,
  ],
})
export class GatewayModule {}
