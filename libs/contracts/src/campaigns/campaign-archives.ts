import { DomainError } from '../common/errors.js';
import { Id, Nullable, Text } from '../schema/fields.js';
import { query, request } from '../schema/contract.js';
import { PickFields } from '../schema/shapes.js';
import { Campaign, CampaignId } from './campaigns.js';

export class CampaignArchive extends PickFields(Campaign, ['id']) {
  /** Random, and another one after it was withdrawn; null while there is none. */
  @Id() @Nullable() archiveId: string | null;
}

/** The public copy of a campaign: its mail without what is personal, for anybody who has the link. */
export class CampaignArchiveLink extends PickFields(Campaign, ['id']) {
  /** Null while there is none. */
  @Text(1, 2_048) @Nullable() url: string | null;
}

export class ArchiveId {
  @Id() archiveId: string;
}

export class ArchivedContent {
  @Id() contentId: string;
}

export const campaignArchives = {
  get: query('campaigns.archives.get', CampaignId, CampaignArchive),
  /** 409 unless the campaign was launched. */
  publish: request('campaigns.archives.publish', CampaignId, CampaignArchive),
  withdraw: request('campaigns.archives.withdraw', CampaignId, CampaignArchive),
  contentOf: query('campaigns.archives.content_of', ArchiveId, ArchivedContent),
};

export const campaignNotLaunched = () =>
  new DomainError('conflict', 'conflict', 'Only a campaign that was sent or is being sent can be published');
