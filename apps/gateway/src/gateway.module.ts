import { Module } from '@nestjs/common';
import { AnalyticsController } from './analytics/analytics.controller.js';
import { AnalyticsModule } from './analytics/analytics.module.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { RevealController } from './api-keys/reveals/reveal.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditModule } from './audit/audit.module.js';
import { CampaignArchivesController } from './campaigns/campaign-archives.controller.js';
import { CampaignRecipientsController } from './campaigns/campaign-recipients.controller.js';
import { CampaignsController } from './campaigns/campaigns.controller.js';
import { CampaignsModule } from './campaigns/campaigns.module.js';
import { CompatModule } from './compat/compat.module.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { ErasuresController } from './contacts/erasures.controller.js';
import { ImportsController } from './contacts/imports.controller.js';
import { DomainsController } from './domains/domains.controller.js';
import { DomainsModule } from './domains/domains.module.js';
import { EdgeModule } from './edge/edge.module.js';
import { EmailsController } from './emails/emails.controller.js';
import { ExplanationsController } from './emails/explanations.controller.js';
import { EmailsModule } from './emails/emails.module.js';
import { EngagementController } from './engagement/engagement.controller.js';
import { EngagementModule } from './engagement/engagement.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { EventsController } from './events/events.controller.js';
import { EventsModule } from './events/events.module.js';
import { HealthModule } from './health/health.module.js';
import { IdentityModule } from './identity/identity.module.js';
import { ListsController } from './lists/lists.controller.js';
import { ListsModule } from './lists/lists.module.js';
import { MembersController } from './members/members.controller.js';
import { MembersModule } from './members/members.module.js';
import { MembershipModule } from './members/membership.module.js';
import { DelegationsModule } from './oauth/delegations.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { DocumentationModule } from './openapi/documentation.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PeoplePagesModule } from './people/pages/people-pages.module.js';
import { PeopleModule } from './people/people.module.js';
import { SessionsController } from './people/sessions/sessions.controller.js';
import { OwnProjectsModule } from './projects/own-projects.module.js';
import { ProjectsController } from './projects/projects.controller.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ProviderHooksModule } from './provider-hooks/provider-hooks.module.js';
import { ReputationModule } from './reputation/reputation.module.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageModule } from './usage/usage.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { SegmentsController } from './segments/segments.controller.js';
import { SegmentsModule } from './segments/segments.module.js';
import { SnippetsController } from './snippets/snippets.controller.js';
import { SnippetsModule } from './snippets/snippets.module.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { SystemMailsModule } from './system-mails/system-mails.module.js';
import { TemplatesController } from './templates/templates.controller.js';
import { TemplatesModule } from './templates/templates.module.js';
import { WebhookCallsController } from './webhooks/webhook-calls.controller.js';
import { WebhookSecretController } from './webhooks/webhook-secret.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { ExecutionsController } from './workflows/executions.controller.js';
import { SimulationsController } from './workflows/simulations.controller.js';
import { WorkflowGraphsController } from './workflows/workflow-graphs.controller.js';
import { WorkflowsController } from './workflows/workflows.controller.js';
import { WorkflowsModule } from './workflows/workflows.module.js';

export const routeControllers = [
  EmailsController,
  ExplanationsController,
  EngagementController,
  ContactsController,
  ImportsController,
  ErasuresController,
  ListsController,
  EventsController,
  CampaignsController,
  CampaignArchivesController,
  CampaignRecipientsController,
  WorkflowsController,
  WorkflowGraphsController,
  ExecutionsController,
  SimulationsController,
  WebhooksController,
  WebhookCallsController,
  WebhookSecretController,
  DomainsController,
  SuppressionsController,
  TemplatesController,
  SegmentsController,
  SnippetsController,
  AnalyticsController,
  UsageController,
  AuditController,
  SessionsController,
  ProjectsController,
  MembersController,
  ApiKeysController,
  RevealController,
];

@Module({
  imports: [
    AuditModule,
    ProjectsModule,
    MembershipModule,
    OwnProjectsModule,
    DelegationsModule,
    ApiKeysModule,
    RateLimitModule,
    IdentityModule,
    EdgeModule,
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
    EventsModule,
    CampaignsModule,
    WorkflowsModule,
    WebhooksModule,
    SuppressionsModule,
    TemplatesModule,
    SegmentsModule,
    SnippetsModule,
    AnalyticsModule,
  ],
})
export class GatewayModule {}
