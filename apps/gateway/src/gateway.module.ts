import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Database } from '@posthorn/database';
import { Commits, Resealing, Secrets } from '@posthorn/platform';
import { AnalyticsController } from './analytics/analytics.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysHandlers } from './api-keys/api-keys.handlers.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditEntriesRepository } from './audit/audit-entries.repository.js';
import { AuditSubscribers } from './audit/audit.subscribers.js';
import { Audit } from './audit/audit.js';
import { GrantsService } from './api-keys/grants.service.js';
import { KeyDomains } from './api-keys/key-domains.js';
import { KeyEvents } from './api-keys/key-events.js';
import { RevealController } from './api-keys/reveal.controller.js';
import { RevealPurgesWork } from './api-keys/reveal-purges.work.js';
import { RevealsRepository } from './api-keys/reveals.repository.js';
import { RevealsService } from './api-keys/reveals.service.js';
import { CampaignsController } from './campaigns/campaigns.controller.js';
import { PostmarkEndpoint } from './compat/postmark-endpoint.js';
import { PostmarkSends } from './compat/postmark-sends.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { ImportUploads } from './contacts/import-uploads.js';
import { PeopleData } from './contacts/person-data.js';
import { ImportsController } from './contacts/imports.controller.js';
import { ErasuresController } from './contacts/erasures.controller.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { EventsController } from './events/events.controller.js';
import { DomainMails } from './domains/domain-mails.js';
import { DomainsController } from './domains/domains.controller.js';
import { DomainsSubscribers } from './domains/domains.subscribers.js';
import { OwnersReadModel } from './domains/owners.read-model.js';
import { BodyReader } from './edge/bodies/body-reader.js';
import { Failures } from './edge/http/failures.js';
import { RequestPipeline } from './edge/routes/request-pipeline.js';
import { Registrar } from './edge/routes/registrar.js';
import { RequestWatch } from './edge/http/request-watch.js';
import { Accepting } from './emails/accepting.js';
import { EmailsController } from './emails/emails.controller.js';
import { EngagementController } from './engagement/engagement.controller.js';
import { EngagementRecorder } from './engagement/engagement-recorder.js';
import { TrackingEndpoint } from './engagement/tracking-endpoint.js';
import { UnsubscribeEndpoint } from './engagement/unsubscribe-endpoint.js';
import { UnsubscribeService } from './engagement/unsubscribe.service.js';
import { Health } from './health/health.js';
import { FailedAttempts } from './identity/failed-attempts.js';
import { Guard } from './identity/guard.js';
import { Identities } from './identity/identities.js';
import { IdentitiesReadModel } from './identity/identities.read-model.js';
import { PeopleSecret } from './identity/people-secret.js';
import { KeyUsage } from './identity/key-usage.js';
import { InvitationMails } from './members/invitation-mails.js';
import { InvitationPages } from './members/invitation.pages.js';
import { InvitationsRepository } from './members/invitations.repository.js';
import { InvitationsService } from './members/invitations.service.js';
import { ConfirmEndpoint } from './lists/confirm-endpoint.js';
import { ListsController } from './lists/lists.controller.js';
import { MembersController } from './members/members.controller.js';
import { MembersReadModel } from './members/members.read-model.js';
import { MembersRepository } from './members/members.repository.js';
import { MembersService } from './members/members.service.js';
import { MembershipService } from './members/membership.service.js';
import { Documentation } from './openapi/documentation.js';
import { Attempts } from './people/attempts/attempts.js';
import { AttemptsRepository } from './people/attempts/attempts.repository.js';
import { People } from './people/people.js';
import { PeopleKeys } from './people/library/people-keys.js';
import { PeopleLibrary } from './people/library/people-library.js';
import { PeopleEndpoint } from './people/library/people-endpoint.js';
import { PeopleMails } from './people/people-mails.js';
import { ChoresWork } from './people/chores.work.js';
import { ExpiredRepository } from './people/expired.repository.js';
import { UsersHandlers } from './people/users.handlers.js';
import { UsersService } from './people/users.service.js';
import { AccountPages } from './people/pages/account.pages.js';
import { SecondFactorPages } from './people/pages/second-factor.pages.js';
import { SessionsController } from './people/sessions/sessions.controller.js';
import { SessionsRepository } from './people/sessions/sessions.repository.js';
import { PasswordPages } from './people/pages/password.pages.js';
import { SignInPages } from './people/pages/sign-in.pages.js';
import { SignUpPages } from './people/pages/sign-up.pages.js';
import { ApplicationsHandlers } from './oauth/applications.handlers.js';
import { ApplicationsService } from './oauth/applications.service.js';
import { ApplicationsPages } from './oauth/applications.pages.js';
import { ConsentPages } from './oauth/consent.pages.js';
import { DelegationsRepository } from './oauth/delegations.repository.js';
import { DelegationsService } from './oauth/delegations.service.js';
import { OAuthEndpoint } from './oauth/oauth-endpoint.js';
import { FrontPage } from './pages/front-page.js';
import { PageRouter } from './pages/page-router.js';
import { Senders } from './pages/senders.js';
import { CreatorsReadModel } from './projects/founders.read-model.js';
import { OwnProjectsService } from './projects/own-projects.service.js';
import { ProjectsController } from './projects/projects.controller.js';
import { ProjectsHandlers } from './projects/projects.handlers.js';
import { ProjectsRepository } from './projects/projects.repository.js';
import { ProjectsService } from './projects/projects.service.js';
import { RateLimiter } from './rate-limit/rate-limiter.js';
import { RateWindowsRepository } from './rate-limit/rate-windows.repository.js';
import { SystemMails } from './system-mails/system-mails.js';
import { SystemMailsWork } from './system-mails/system-mails.work.js';
import { SystemMailsRepository } from './system-mails/system-mails.repository.js';
import { SystemProject } from './system-mails/system-project.js';
import { sealedTables } from './secrets/sealed-tables.js';
import { SecretsHandlers } from './secrets/secrets.handlers.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { SegmentsController } from './segments/segments.controller.js';
import { SnippetsController } from './snippets/snippets.controller.js';
import { TemplatesController } from './templates/templates.controller.js';
import { WorkflowsController } from './workflows/workflows.controller.js';

/** The controllers that declare routes. */
export const routeControllers = [
  EmailsController,
  EngagementController,
  ContactsController,
  ImportsController,
  ErasuresController,
  ListsController,
  EventsController,
  CampaignsController,
  WorkflowsController,
  DomainsController,
  SuppressionsController,
  TemplatesController,
  SegmentsController,
  SnippetsController,
  AnalyticsController,
  AuditController,
  SessionsController,
  ProjectsController,
  MembersController,
  ApiKeysController,
  RevealController,
];

@Module({
  imports: [DiscoveryModule],
  controllers: [
    ...routeControllers,
    ProjectsHandlers,
    ApiKeysHandlers,
    UsersHandlers,
    ApplicationsHandlers,
    SecretsHandlers,
    AuditSubscribers,
    DomainsSubscribers,
    ErasuresHandlers,
  ],
  providers: [
    // edge
    Registrar,
    RequestPipeline,
    // Whoever reads large bodies shares the budget of the process.
    { provide: BodyReader, useFactory: () => new BodyReader() },
    Failures,
    RequestWatch,
    Health,
    Documentation,
    ErasuresService,
    // who asks, and how fast
    Guard,
    FailedAttempts,
    Identities,
    IdentitiesReadModel,
    KeyUsage,
    RateLimiter,
    RateWindowsRepository,
    // people
    People,
    PeopleLibrary,
    PeopleKeys,
    {
      provide: PeopleSecret,
      useFactory: (database: Database, secrets: Secrets) => PeopleSecret.open(database, secrets),
      inject: [Database, Secrets],
    },
    PeopleEndpoint,
    ChoresWork,
    ExpiredRepository,
    PeopleMails,
    Attempts,
    AttemptsRepository,
    PageRouter,
    FrontPage,
    SignInPages,
    SignUpPages,
    PasswordPages,
    AccountPages,
    SecondFactorPages,
    OAuthEndpoint,
    ConsentPages,
    ApplicationsPages,
    DelegationsService,
    ApplicationsService,
    DelegationsRepository,
    SessionsRepository,
    UsersService,
    SystemMails,
    SystemMailsRepository,
    SystemMailsWork,
    SystemProject,
    // what the gateway owns
    Commits,
    ProjectsService,
    ProjectsRepository,
    OwnProjectsService,
    CreatorsReadModel,
    MembersService,
    MembersReadModel,
    MembersRepository,
    MembershipService,
    InvitationsService,
    InvitationsRepository,
    InvitationMails,
    InvitationPages,
    ApiKeysService,
    ApiKeysRepository,
    Audit,
    AuditEntriesRepository,
    GrantsService,
    KeyDomains,
    KeyEvents,
    RevealsService,
    RevealsRepository,
    RevealPurgesWork,
    {
      provide: Resealing,
      useFactory: (database: Database, secrets: Secrets) => new Resealing(database, secrets, sealedTables),
      inject: [Database, Secrets],
    },
    // sending
    DomainMails,
    OwnersReadModel,
    Accepting,
    PostmarkEndpoint,
    PostmarkSends,
    // readers
    EngagementRecorder,
    TrackingEndpoint,
    UnsubscribeEndpoint,
    UnsubscribeService,
    ConfirmEndpoint,
    ImportUploads,
    PeopleData,
    Senders,
  ],
})
export class GatewayModule {}
