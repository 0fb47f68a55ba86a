import { Global, Module } from '@nestjs/common';
import { secrets } from '@posthorn/contracts';
import { onDatabase } from '@posthorn/database';
import { resealingOf } from '@posthorn/platform';
import { routeSources } from './all-routes.js';
import { DeliverabilityController } from './deliverability/deliverability.controller.js';
import { AnalyticsController } from './analytics/analytics.controller.js';
import { Insights } from './analytics/insights.js';
import { AuditModule } from './audit/audit.module.js';
import { ArchiveEndpoint } from './campaigns/archive-endpoint.js';
import { CampaignArchivesController } from './campaigns/campaign-archives.controller.js';
import { CampaignProgresses } from './campaigns/campaign-progresses.js';
import { CampaignRecipientsController } from './campaigns/campaign-recipients.controller.js';
import { CampaignTestsService } from './campaigns/campaign-tests.service.js';
import { CampaignsController } from './campaigns/campaigns.controller.js';
import { PostmarkElsewhere } from './compat/postmark-elsewhere.js';
import { PostmarkEndpoint } from './compat/postmark-endpoint.js';
import { PostmarkSends } from './compat/postmark-sends.js';
import { BulkContactWrites } from './contacts/bulk-contacts.js';
import { ContactExports } from './contacts/contact-exports.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { ImportReports } from './contacts/import-reports.js';
import { ImportUploads } from './contacts/import-uploads.js';
import { ImportsController } from './contacts/imports.controller.js';
import { PeopleData } from './contacts/person-data.js';
import { DomainMails } from './domains/domain-mails.js';
import { OwnersReadModel } from './domains/owners.read-model.js';
import { Accepting } from './emails/accepting.js';
import { EmailsController } from './emails/emails.controller.js';
import { ExplanationsController } from './emails/explanations.controller.js';
import { SendsService } from './emails/sends.service.js';
import { EngagementRecorder } from './engagement/engagement-recorder.js';
import { TrackingEndpoint } from './engagement/tracking-endpoint.js';
import { UnsubscribeEndpoint } from './engagement/unsubscribe-endpoint.js';
import { UnsubscribeService } from './engagement/unsubscribe.service.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { EventsController } from './events/events.controller.js';
import { Health } from './health/health.js';
import { IdentityModule } from './identity/identity.module.js';
import { FollowedStreams } from './live/followed-streams.js';
import { LiveStreams } from './live/live-streams.js';
import { MissedEvents } from './live/missed-events.js';
import { StreamController } from './live/stream.controller.js';
import { ToldEvents } from './live/told-events.js';
import { ConfirmEndpoint } from './lists/confirm-endpoint.js';
import { FirstProjectPages } from './members/first-project.pages.js';
import { InvitationsService, InvitationMails } from './members/invitations.service.js';
import { InvitationPages } from './members/invitation.pages.js';
import { MembersController } from './members/members.controller.js';
import { MembersReadModel } from './members/members.read-model.js';
import { MembersService } from './members/members.service.js';
import { OperatedMembers } from './members/operated-members.service.js';
import { ApplicationsPages, ApplicationsService } from './oauth/applications.pages.js';
import { ConsentPages } from './oauth/consent.pages.js';
import { OAuthEndpoint } from './oauth/oauth-endpoint.js';
import { Documentation } from './openapi/documentation.js';
import { PagesModule } from './pages/pages.module.js';
import { AccountProjects, AccountInvitations } from './people/pages/account-projects.read-model.js';
import { purgeOf } from '@posthorn/work';
import { AccountPages } from './people/pages/account.pages.js';
import { PasswordPages } from './people/pages/password.pages.js';
import { SecondFactorPages } from './people/pages/second-factor.pages.js';
import { SignInPages } from './people/pages/sign-in.pages.js';
import { SignUpPages } from './people/pages/sign-up.pages.js';
import { PeopleModule } from './people/people.module.js';
import { PipelineModule } from './pipeline/pipeline.module.js';
import { OperatedProjects } from './projects/operated-projects.service.js';
import { OwnProjectsService } from './projects/own-projects.service.js';
import { ProjectsController } from './projects/projects.controller.js';
import { ProjectsModule } from './projects/projects.module.js';
import { HookSignatures } from './provider-hooks/hook-signatures.repository.js';
import { HooksEndpoint, ProviderHooks } from './provider-hooks/hooks-endpoint.js';
import { BrevoHook } from './provider-hooks/providers/brevo-hook.js';
import { MailgunHook } from './provider-hooks/providers/mailgun-hook.js';
import { PostmarkHook } from './provider-hooks/providers/postmark-hook.js';
import { SendgridHook } from './provider-hooks/providers/sendgrid-hook.js';
import { SesHook } from './provider-hooks/ses/ses-hook.js';
import { SnsMessages } from './provider-hooks/ses/sns-messages.js';
import { ReputationJudgement } from './reputation/reputation-judgement.js';
import { ReputationMails } from './reputation/reputation-mails.js';
import { ReputationWork } from './reputation/reputation.work.js';
import { ReputationRepository } from './reputation/reputation.repository.js';
import { ReputationSubscribers } from './reputation/reputation.subscribers.js';
import { RouteTable, routeTable } from './routes/route-table.js';
import { sealedTables } from './secrets/sealed-tables.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { EmailValidationsController } from './validation/validation.controller.js';
import { SystemMailsModule } from './system-mails/system-mails.module.js';
import { UsageMails } from './usage/usage-mails.js';
import { WebhookMails } from './webhooks/webhook-mails.js';

@Global()
@Module({
  providers: [{ provide: RouteTable, useFactory: () => routeTable(routeSources) }],
  exports: [RouteTable],
})
class RouteTableModule {}

/** What several nouns need is a module of its own; everything else is here. */
@Module({
  imports: [
    AuditModule,
    ProjectsModule,
    IdentityModule,
    PipelineModule,
    PagesModule,
    SystemMailsModule,
    PeopleModule,
    RouteTableModule,
  ],
  controllers: [
    AnalyticsController,
    DeliverabilityController,
    EventsController,
    StreamController,
    SuppressionsController,
    EmailValidationsController,
    EmailsController,
    ExplanationsController,
    ContactsController,
    ImportsController,
    CampaignsController,
    CampaignArchivesController,
    CampaignRecipientsController,
    ProjectsController,
    MembersController,
  ],
  providers: [
    Insights,
    Accepting,
    SendsService,
    PostmarkElsewhere,
    PostmarkEndpoint,
    PostmarkSends,
    BulkContactWrites,
    ContactExports,
    ImportReports,
    ImportUploads,
    PeopleData,
    ArchiveEndpoint,
    CampaignProgresses,
    CampaignTestsService,
    ConfirmEndpoint,
    EngagementRecorder,
    TrackingEndpoint,
    UnsubscribeEndpoint,
    UnsubscribeService,
    FollowedStreams,
    LiveStreams,
    MissedEvents,
    ToldEvents,
    HooksEndpoint,
    HookSignatures,
    ProviderHooks,
    SesHook,
    SnsMessages,
    PostmarkHook,
    SendgridHook,
    MailgunHook,
    BrevoHook,
    DomainMails,
    OwnersReadModel,
    UsageMails,
    WebhookMails,
    ReputationJudgement,
    ReputationMails,
    purgeOf('gateway.reputation-purges', ReputationRepository, (reputation) => reputation.deleteOld(5_000)),
    ReputationRepository,
    ReputationWork,
    ReputationSubscribers,
    OwnProjectsService,
    MembersService,
    OperatedMembers,
    OperatedProjects,
    MembersReadModel,
    InvitationsService,
    InvitationMails,
    InvitationPages,
    FirstProjectPages,
    ...onDatabase([AccountInvitations, AccountProjects]),
    SignInPages,
    SignUpPages,
    PasswordPages,
    AccountPages,
    SecondFactorPages,
    OAuthEndpoint,
    ConsentPages,
    ApplicationsPages,
    ApplicationsService,
    ErasuresService,
    resealingOf(secrets.rotate, sealedTables),
    Documentation,
    Health,
  ],
})
export class GatewayModule {}
