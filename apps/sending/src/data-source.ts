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
import { MarketingHandOffRow } from './frequency/marketing-hand-off.entity.js';
import { OptOutRow } from './opt-outs/opt-out.entity.js';
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
import { baseline } from './migrations/1767000000000-baseline.js';

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

export const migrations = [baseline];
