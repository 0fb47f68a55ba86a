import { DomainError, invalidMember } from '../common/errors.js';

export const campaignNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such campaign');
export const campaignNotEditable = () =>
  new DomainError('conflict', 'conflict', 'The campaign can be changed only in DRAFT or SCHEDULED');
export const campaignNotSendable = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in DRAFT or SCHEDULED can be sent');
export const campaignChanged = () =>
  new DomainError('conflict', 'conflict', 'The campaign was changed while it was being sent; send it again');
export const campaignNotCancellable = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in SCHEDULED, SENDING or PAUSED can be cancelled');
export const campaignNotSending = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in SENDING can be paused');
export const campaignNotPaused = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in PAUSED can be resumed');
export const campaignNotSent = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in SENT can be retried');
export const campaignNotResendable = () =>
  new DomainError(
    'conflict',
    'conflict',
    'Only a campaign in SENT can be sent again to those who did not open it',
  );
export const campaignOpensUntracked = () =>
  new DomainError(
    'conflict',
    'conflict',
    'Opens of the campaign were not tracked, so nobody knows who did not open it',
  );
export const campaignWithoutRecipients = () =>
  invalidMember(['audienceType'], 'not_allowed', 'has no recipients: nobody belongs to this audience now');
export const campaignFromTestKey = () =>
  new DomainError(
    'forbidden',
    'scope_missing',
    'A TEST key cannot send campaigns; it can send test mails of them',
  );
export const campaignNotCompared = () =>
  new DomainError(
    'conflict',
    'conflict',
    'The campaign has no variants of which a winner is still to be chosen',
  );
export const campaignVariantUnknown = () =>
  invalidMember(['variant'], 'not_found', 'must be the name of a variant of this campaign');
export const campaignTopicUnknown = () =>
  invalidMember(['topicId'], 'not_found', 'must be a topic of this project');
export const campaignTopicArchived = () =>
  invalidMember(['topicId'], 'not_allowed', 'must be a topic that is not archived');
export const campaignTestToStranger = () =>
  invalidMember(['email'], 'not_allowed', 'must be the address of a member of the project');
export const campaignScheduleInThePast = () =>
  invalidMember(['scheduledFor'], 'out_of_range', 'must be in the future; leave it out to send now');
export const campaignNotDraft = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign in DRAFT can be deleted');
