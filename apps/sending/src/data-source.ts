import { IdempotencyKeyRow, ProjectCountRow } from '@posthorn/database';
import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { ProjectUsageRow, UsageCountRow, UsageWarningRow } from './allowances/project-usage.entity.js';
import { CampaignContentRow } from './campaign-mail/campaign-content.entity.js';
import { CampaignStateRow } from './campaign-mail/campaign-state.entity.js';
import { DeliveryRow, PaceRow, WorkerRow } from './delivery/delivery.entity.js';
import { InstallationRow } from './delivery/overdue/installation.entity.js';
import { DkimKeyRow } from './domains/dkim/dkim-key.entity.js';
import { DomainRow } from './domains/domain.entity.js';
import { EmailAttachmentRow, EmailContentRow, EmailHistoryRow, EmailRow } from './emails/email.entity.js';
import { EngagementRow } from './engagement/engagement.entity.js';
import { ErasedAddressRow, ErasureSecretRow } from './erasures/erased-address.entity.js';
import { CreateSending1763700000000 } from './migrations/1763700000000-create-sending.js';
import { RepairSendingMessaging1763800000000 } from './migrations/1763800000000-repair-messaging.js';
import { TraceSendingFacts1763900000000 } from './migrations/1763900000000-trace-facts.js';
import { AttributeSendingFacts1764200000000 } from './migrations/1764200000000-attribute-facts.js';
import { SystemContents1764300000000 } from './migrations/1764300000000-system-contents.js';
import { WaysToSend1764400000000 } from './migrations/1764400000000-ways-to-send.js';
import { Domains1764400200000 } from './migrations/1764400200000-domains.js';
import { SuppressionImports1764400210000 } from './migrations/1764400210000-suppression-imports.js';
import { Engagement1764400300000 } from './migrations/1764400300000-engagement.js';
import { SizesInTheQueue1764400400000 } from './migrations/1764400400000-sizes-in-the-queue.js';
import { UpdatesInPlace1764400500000 } from './migrations/1764400500000-updates-in-place.js';
import { Erasures1764500510000 } from './migrations/1764500510000-erasures.js';
import { SendingWork1764700000000 } from './migrations/1764700000000-work.js';
import { HoldOverdueMail1764800000000 } from './migrations/1764800000000-hold-overdue-mail.js';
import { IndexHeldMail1764800100000 } from './migrations/1764800100000-index-held-mail.js';
import { ProviderEvents1764900000000 } from './migrations/1764900000000-provider-events.js';
import { IndexEmailIds1764900100000 } from './migrations/1764900100000-index-email-ids.js';
import { MarketingHandOffRow } from './frequency/marketing-hand-off.entity.js';
import { OptOutRow } from './opt-outs/opt-out.entity.js';
import { Templates1764400100000 } from './migrations/1764400100000-templates.js';
import { QuarantineSendingEvents1764600000000 } from './migrations/1764600000000-quarantine-events.js';
import { CountClaims1764600100000 } from './migrations/1764600100000-count-claims.js';
import { Allowances1765400000000 } from './migrations/1765400000000-allowances.js';
import { IndexMailOverAllowance1765400100000 } from './migrations/1765400100000-index-mail-over-allowance.js';
import { AdaptivePace1765500000000 } from './migrations/1765500000000-adaptive-pace.js';
import { NameWaits1765500100000 } from './migrations/1765500100000-name-waits.js';
import { CampaignMail1765600000000 } from './migrations/1765600000000-campaign-mail.js';
import { SpfProblem1766400100000 } from './migrations/1766400100000-spf-problem.js';
import { FrequencyCap1765700000000 } from './migrations/1765700000000-frequency-cap.js';
import { MailAsWritten1766500000000 } from './migrations/1766500000000-mail-as-written.js';
import { QuietHoursAtClockChanges1766700000000 } from './migrations/1766700000000-quiet-hours-at-clock-changes.js';
import {
  DestinationDomainRow,
  DestinationLineRow,
  DomainWarmUpRow,
  SlowedDestinationRow,
} from './pacing/slowed-destination.entity.js';
import { ProjectStateRow } from './projects/project-state.entity.js';
import { SuppressionImportRow } from './suppressions/suppression-import.entity.js';
import { SnippetRow, SnippetVersionRow } from './snippets/snippet.entity.js';
import { SuppressionRow } from './suppressions/suppression.entity.js';
import { TemplateRow, TemplateVersionRow } from './templates/template.entity.js';

export const entities = [
  EmailRow,
  EmailContentRow,
  EmailHistoryRow,
  EmailAttachmentRow,
  DeliveryRow,
  MarketingHandOffRow,
  WorkerRow,
  PaceRow,
  InstallationRow,
  CampaignContentRow,
  CampaignStateRow,
  SlowedDestinationRow,
  DestinationDomainRow,
  DestinationLineRow,
  DomainWarmUpRow,
  IdempotencyKeyRow,
  DomainRow,
  DkimKeyRow,
  SuppressionRow,
  SuppressionImportRow,
  ProjectUsageRow,
  UsageCountRow,
  UsageWarningRow,
  ProjectStateRow,
  EngagementRow,
  OptOutRow,
  ErasedAddressRow,
  ErasureSecretRow,
  ProjectCountRow,
  TemplateRow,
  TemplateVersionRow,
  SnippetRow,
  SnippetVersionRow,
  ...messagingEntities,
  ...workEntities,
];

export const migrations = [
  CreateSending1763700000000,
  RepairSendingMessaging1763800000000,
  TraceSendingFacts1763900000000,
  AttributeSendingFacts1764200000000,
  SystemContents1764300000000,
  WaysToSend1764400000000,
  Domains1764400200000,
  SuppressionImports1764400210000,
  Engagement1764400300000,
  SizesInTheQueue1764400400000,
  UpdatesInPlace1764400500000,
  Templates1764400100000,
  Erasures1764500510000,
  QuarantineSendingEvents1764600000000,
  CountClaims1764600100000,
  SendingWork1764700000000,
  HoldOverdueMail1764800000000,
  IndexHeldMail1764800100000,
  ProviderEvents1764900000000,
  IndexEmailIds1764900100000,
  Allowances1765400000000,
  IndexMailOverAllowance1765400100000,
  AdaptivePace1765500000000,
  NameWaits1765500100000,
  CampaignMail1765600000000,
  FrequencyCap1765700000000,
  SpfProblem1766400100000,
  MailAsWritten1766500000000,
  QuietHoursAtClockChanges1766700000000,
];
