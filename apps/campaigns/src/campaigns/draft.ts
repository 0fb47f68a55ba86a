import type { CreateCampaign } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { CampaignRow } from './campaign.entity.js';

export function draftOf(
  projectId: string,
  wanted: CreateCampaign & { resendOfId?: string | null },
): CampaignRow {
  const { name, audienceType, emailCategory = 'MARKETING' } = wanted;
  const {
    description = null,
    subject = null,
    body = null,
    templateId = null,
    from = null,
    fromName = null,
    replyTo = null,
  } = wanted;
  const {
    audienceCondition = null,
    segmentId = null,
    listId = null,
    topicId = null,
    sendRate = null,
  } = wanted;
  const { excludeSegmentIds = [], excludeListIds = [], resendOfId = null } = wanted;
  const { variants = null, test = null, timing = null } = wanted;
  return Object.assign(new CampaignRow(), {
    projectId,
    id: newId(),
    name,
    description,
    subject,
    body,
    templateId,
    from,
    fromName,
    replyTo,
    emailCategory,
    audienceType,
    audienceCondition,
    segmentId,
    listId,
    excludeSegmentIds,
    excludeListIds,
    topicId,
    sendRate,
    variants,
    test,
    timing,
    resendOfId,
    status: 'DRAFT' as const,
    pausedReason: null,
    scheduledFrom: null,
    scheduledAt: null,
    sentAt: null,
  });
}
