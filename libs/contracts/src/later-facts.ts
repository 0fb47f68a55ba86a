import { fact } from './contract.js';
import { Choice, Count, Id, Instant, Nullable, Text } from './fields.js';

/** Facts whose publishers come with their own services: the names and payloads are settled, so that subscribers can be written. */

export class TemplateFact {
  @Id() templateId: string;
  @Count() version: number;
  @Instant() at: Date;
}

export class CampaignFact {
  @Id() campaignId: string;
  @Text(1, 200) name: string;
  @Instant() at: Date;
}

export class CampaignRecipientFailed {
  @Id() campaignId: string;
  @Id() contactId: string;
  @Text(1, 50) reason: string;
  @Instant() at: Date;
}

export class WorkflowFact {
  @Id() workflowId: string;
  @Count() version: number;
  @Instant() at: Date;
}

export class ExecutionFact {
  @Id() workflowId: string;
  @Id() executionId: string;
  @Id() contactId: string;
  @Choice(['COMPLETED', 'EXITED', 'FAILED', 'CANCELLED']) status: 'COMPLETED' | 'EXITED' | 'FAILED' | 'CANCELLED';
  @Text(0, 2000) @Nullable() reason: string | null;
  @Instant() at: Date;
}

export const templateFacts = {
  changed: fact('sending.template.changed', TemplateFact, 'A template has a new version.'),
  deleted: fact('sending.template.deleted', TemplateFact, 'A template was deleted.'),
};

export const campaignFacts = {
  changed: fact('campaigns.campaign.changed', CampaignFact, 'A campaign was created or edited.'),
  launched: fact('campaigns.campaign.launched', CampaignFact, 'A campaign began to send; its audience is frozen.'),
  paused: fact('campaigns.campaign.paused', CampaignFact, 'A campaign was paused.'),
  resumed: fact('campaigns.campaign.resumed', CampaignFact, 'A campaign goes on.'),
  cancelled: fact('campaigns.campaign.cancelled', CampaignFact, 'A campaign was cancelled for good.'),
  sent: fact('campaigns.campaign.sent', CampaignFact, 'Every recipient of a campaign ended in sent, skipped or failed.'),
  recipientFailed: fact('campaigns.recipient.failed', CampaignRecipientFailed, 'One recipient of a campaign failed, with the reason.'),
};

export const workflowFacts = {
  changed: fact('workflows.workflow.changed', WorkflowFact, 'A definition changed.'),
  executionEnded: fact('workflows.execution.ended', ExecutionFact, 'An execution ended.'),
};
