import { Module, type Provider as NestProvider, type Type } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Commits, Resealing, Secrets } from '@posthorn/platform';
import { WorkQueue } from '@posthorn/work';
import { AcceptBatchService } from './accepting/accept-batch.js';
import { AcceptEmailsService } from './accepting/accept-emails.js';
import { AcceptingRepository } from './accepting/accepting.repository.js';
import { PrepareSend } from './accepting/prepare-send.js';
import { SettleSendService } from './accepting/settle-send.js';
import { AllowancesHandlers } from './allowances/allowances.handlers.js';
import { AllowancesRepository } from './allowances/allowances.repository.js';
import { Composer } from './composing/composer.js';
import { ContactVariables } from './composing/contact-variables.js';
import { ContactVariablesRepository } from './composing/contact-variables.repository.js';
import { SendingConfig } from './config.js';
import { ClaimsRepository } from './delivery/claiming/claims.repository.js';
import { DeliverBatch } from './delivery/hand-off/deliver-batch.js';
import { ChoresWork } from './delivery/chores.work.js';
import { DeliveryWakeUp } from './delivery/delivery-wake-up.js';
import { DeliveryCounts } from './delivery/delivery-counts.read-model.js';
import { DeliveryMetrics } from './delivery/delivery.metrics.js';
import { HandOffMarks } from './delivery/hand-off/hand-off-marks.repository.js';
import { Lease } from './delivery/claiming/lease.js';
import { LeasesRepository } from './delivery/claiming/leases.repository.js';
import { OutcomeRecorder } from './delivery/outcomes/outcome-recorder.js';
import { OutcomesRepository } from './delivery/outcomes/outcomes.repository.js';
import { Pace } from './delivery/claiming/pace.js';
import { Provider } from './delivery/hand-off/provider.js';
import { ReadyMessages } from './delivery/claiming/ready-messages.js';
import { Sweeper } from './delivery/sweeper.js';
import { CampaignSenders } from './domains/senders/campaign-senders.js';
import { DkimKeys } from './domains/dkim/dkim-keys.js';
import { DkimKeysRepository } from './domains/dkim/dkim-keys.repository.js';
import { DnsLookup } from './domains/checks/dns-lookup.js';
import { DomainChecks } from './domains/checks/domain-checks.js';
import { DomainFindings } from './domains/checks/domain-findings.js';
import { DomainChecksWork } from './domains/checks/domain-checks.work.js';
import { DomainRules } from './domains/domain-rules.js';
import { DomainViews } from './domains/domain-views.js';
import { DomainsHandlers } from './domains/domains.handlers.js';
import { DomainsRepository } from './domains/domains.repository.js';
import { DomainsService } from './domains/domains.service.js';
import { SenderDirectory } from './domains/senders/sender-directory.js';
import { SenderIdentities } from './domains/senders/sender-identities.js';
import { VerifiedDomains } from './domains/senders/vouched-domains.js';
import { AttachmentsRepository } from './emails/attachments.repository.js';
import { EmailsHandlers } from './emails/emails.handlers.js';
import { EmailsRepository } from './emails/emails.repository.js';
import { EmailsService } from './emails/emails.service.js';
import { MailHistoryReadModel } from './emails/mail-history.read-model.js';
import { MailSummariesReadModel } from './emails/mail-summaries.read-model.js';
import { PersonMailHandlers } from './emails/person-mail.handlers.js';
import { PersonMailService } from './emails/person-mail.service.js';
import { SentContents } from './emails/sent-contents.js';
import { SentContentsRepository } from './emails/sent-contents.repository.js';
import { SystemContentsWork } from './emails/system-contents.work.js';
import { SystemContentsRepository } from './emails/system-contents.repository.js';
import { EngagementHandlers } from './engagement/engagement.handlers.js';
import { EngagementService } from './engagement/engagement.service.js';
import { EngagementsRepository } from './engagement/engagements.repository.js';
import { ErasedNames } from './erasures/erased-names.js';
import { ErasedAddressesRepository } from './erasures/erased-addresses.repository.js';
import { ErasedMailRepository } from './erasures/erased-mail.repository.js';
import { ErasuresHandlers } from './erasures/erasures.handlers.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { WaitingMail } from './erasures/waiting-mail.js';
import { WaitingMailRepository } from './erasures/waiting-mail.repository.js';
import { OptOutsHandlers } from './opt-outs/opt-outs.handlers.js';
import { OptOutsRepository } from './opt-outs/opt-outs.repository.js';
import { OptOutsService } from './opt-outs/opt-outs.service.js';
import { OptOutsSubscribers } from './opt-outs/opt-outs.subscribers.js';
import { ProjectSettings } from './projects/project-settings.js';
import { ProjectSnapshotWork } from './projects/project-snapshot.work.js';
import { ProjectStates } from './projects/project-states.read-model.js';
import { ProjectsSubscribers } from './projects/projects.subscribers.js';
import { sealedTables } from './secrets/sealed-tables.js';
import { SecretsHandlers } from './secrets/secrets.handlers.js';
import { Rendering } from './rendering/rendering.js';
import { SnippetsHandlers } from './snippets/snippets.handlers.js';
import { SnippetsRepository } from './snippets/snippets.repository.js';
import { SnippetsService } from './snippets/snippets.service.js';
import { RecipientsHandlers } from './suppressions/recipients.handlers.js';
import { SuppressedRecipientsReadModel } from './suppressions/suppressed-recipients.read-model.js';
import { SuppressionsHandlers } from './suppressions/suppressions.handlers.js';
import { SuppressionsRepository } from './suppressions/suppressions.repository.js';
import { SuppressionImports } from './suppressions/suppression-imports.js';
import { SuppressionImportsWork } from './suppressions/suppression-imports.work.js';
import { SuppressionImportsRepository } from './suppressions/suppression-imports.repository.js';
import { SuppressionsService } from './suppressions/suppressions.service.js';
import { PreviewsService } from './templates/previews.service.js';
import { SavedSources } from './templates/saved-sources.js';
import { Sources } from './templates/sources.js';
import { SourcesRepository } from './templates/sources.repository.js';
import { TemplateDirectory } from './templates/template-directory.js';
import { TemplateSenders } from './templates/template-senders.js';
import { TemplateUses } from './templates/template-uses.js';
import { TemplatesHandlers } from './templates/templates.handlers.js';
import { TemplatesRepository } from './templates/templates.repository.js';
import { TemplatesService } from './templates/templates.service.js';

/** Repositories and read models need the database, and some the queue of what is to be done with their rows. */
const onDatabase = (repository: Type): NestProvider => ({
  provide: repository,
  useFactory: (database: Database, queue: WorkQueue) => new repository(database, queue) as object,
  inject: [Database, WorkQueue],
});

/** Those that look addresses up look for the hashes of erased ones, too. */
const knowingErased = (capacity: Type): NestProvider => ({
  provide: capacity,
  useFactory: (database: Database, hashes: ErasedNames) => new capacity(database, hashes) as object,
  inject: [Database, ErasedNames],
});

@Module({
  controllers: [
    EmailsHandlers,
    PersonMailHandlers,
    DomainsHandlers,
    SuppressionsHandlers,
    AllowancesHandlers,
    SecretsHandlers,
    ProjectsSubscribers,
    EngagementHandlers,
    OptOutsHandlers,
    OptOutsSubscribers,
    TemplatesHandlers,
    SnippetsHandlers,
    RecipientsHandlers,
    ErasuresHandlers,
  ],
  providers: [
    ...[AcceptingRepository, AllowancesRepository, ClaimsRepository, DomainsRepository, EmailsRepository].map(
      onDatabase,
    ),
    ...[
      AttachmentsRepository,
      ContactVariablesRepository,
      SentContentsRepository,
      MailHistoryReadModel,
      MailSummariesReadModel,
    ].map(onDatabase),
    ...[DeliveryCounts, LeasesRepository, OutcomesRepository, ProjectStates, SystemContentsRepository].map(
      onDatabase,
    ),
    ...[EngagementsRepository, DkimKeysRepository, SuppressionImportsRepository].map(onDatabase),
    ...[ErasedAddressesRepository, ErasedMailRepository, WaitingMailRepository].map(onDatabase),
    ...[SuppressionsRepository, SuppressedRecipientsReadModel, OptOutsRepository].map(knowingErased),
    {
      provide: ErasedNames,
      useFactory: (database: Database, secrets: Secrets) => ErasedNames.open(database, secrets),
      inject: [Database, Secrets],
    },
    WaitingMail,
    ErasuresService,
    ...[TemplatesRepository, SourcesRepository, SnippetsRepository].map(onDatabase),
    {
      provide: HandOffMarks,
      useFactory: (database: Database, { provider, ratePerSecond }: SendingConfig, hashes: ErasedNames) =>
        new HandOffMarks(database, new Pace({ provider, perSecond: ratePerSecond }), hashes),
      inject: [Database, SendingConfig, ErasedNames],
    },
    AcceptEmailsService,
    AcceptBatchService,
    PrepareSend,
    ProjectSettings,
    TemplateDirectory,
    Sources,
    Composer,
    ContactVariables,
    SentContents,
    SettleSendService,
    EmailsService,
    PersonMailService,
    EngagementService,
    OptOutsService,
    SystemContentsWork,
    Commits,
    {
      provide: Resealing,
      useFactory: (database: Database, secrets: Secrets) => new Resealing(database, secrets, sealedTables),
      inject: [Database, Secrets],
    },
    DomainsService,
    DomainRules,
    DomainViews,
    DomainFindings,
    DomainChecks,
    DomainChecksWork,
    VerifiedDomains,
    CampaignSenders,
    DkimKeys,
    DnsLookup,
    SenderDirectory,
    SenderIdentities,
    SuppressionsService,
    SuppressionImports,
    SuppressionImportsWork,
    ProjectSnapshotWork,
    DeliveryWakeUp,
    Lease,
    Provider,
    ReadyMessages,
    OutcomeRecorder,
    DeliverBatch,
    Sweeper,
    ChoresWork,
    DeliveryMetrics,
    Rendering,
    TemplatesService,
    SavedSources,
    TemplateSenders,
    TemplateUses,
    PreviewsService,
    SnippetsService,
  ],
})
export class SendingModule {}
