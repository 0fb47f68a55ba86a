import { Module } from '@nestjs/common';
import { AcceptingModule } from './accepting/accepting.module.js';
import { AllowancesModule } from './allowances/allowances.module.js';
import { CampaignMailModule } from './campaign-mail/campaign-mail.module.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { DomainsModule } from './domains/domains.module.js';
import { EmailsModule } from './emails/emails.module.js';
import { EngagementModule } from './engagement/engagement.module.js';
import { ErasuresModule } from './erasures/erasures.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { OptOutsModule } from './opt-outs/opt-outs.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { ReturnPathModule } from './return-path/return-path.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { ProviderEventsModule } from './provider-events/provider-events.module.js';
import { ProviderPauses } from './provider-pauses/provider-pauses.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { SnippetsModule } from './snippets/snippets.module.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { WorkflowMailModule } from './workflow-mail/workflow-mail.module.js';

@Module({
  imports: [
    AcceptingModule,
    CampaignMailModule,
    WorkflowMailModule,
    EmailsModule,
    DeliveryModule,
    EngagementModule,
    ExplainModule,
    ProviderEventsModule,
    ReturnPathModule,
    TemplatesModule,
    SnippetsModule,
    DomainsModule,
    SuppressionsModule,
    OptOutsModule,
    ErasuresModule,
    ProjectsModule,
    AllowancesModule,
    SecretsModule,
    RetentionModule,
  ],
  providers: [ProviderPauses],
})
export class SendingModule {}
