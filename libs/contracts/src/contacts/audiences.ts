import { query } from '../schema/contract.js';
import { Campaign } from '../campaigns/campaigns.js';
import {
  Address,
  Count,
  Flag,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** Contacts that are looked at for one page, which is 600 KiB at most. */
export const maxAudiencePage = 5_000;

/** Whom a campaign is for; errors point to its members. */
export class Audience extends PickFields(Campaign, [
  'audienceType',
  'audienceCondition',
  'segmentId',
  'listId',
  'excludeSegmentIds',
  'excludeListIds',
]) {}

class SubscribersOnly {
  /** Others would be skipped. */
  @Flag() subscribedOnly: boolean;
}

class OfTopic {
  /** Of a marketing campaign. */
  @Id() @Optional() topicId?: string;
}

export class CheckAudience extends JoinFields(Audience, JoinFields(SubscribersOnly, OfTopic)) {}

export class CheckedAudience {
  /** Whether anybody who is not excluded belongs to it now. */
  @Flag() hasMembers: boolean;
}

export class GetAudiencePage extends OfTopic {
  @Nested(() => Audience) audience: Audience;
  @Id() @Optional() after?: string;
  /** Contacts that were created later are left out. */
  @Instant() until: Date;
  /** Contacts looked at: a page holds those of them that belong to the audience, which may be none. */
  @Count({ min: 1, max: maxAudiencePage }) limit: number;
  @Text(1, 100) @Optional() timeZoneField?: string;
}

export class AudienceMember {
  @Id() contactId: string;
  @Address() email: string;
  @Flag() subscribed: boolean;
  @Flag() excluded: boolean;
  /** Where a topic was asked for. */
  @Flag() @Optional() optedIn?: boolean;
  /** What the contact says where it was asked for, which may be anything. */
  @Text(0, 64) @Nullable() @Optional() timeZone?: string | null;
}

/** In the order of contact ids. */
export class AudiencePage {
  @ListOf(() => AudienceMember, 0, maxAudiencePage) items: AudienceMember[];
  /** The last contact that was looked at; null at the end. */
  @Id() @Nullable() next: string | null;
}

export class ValidAudience {
  @Flag() isValid: boolean;
}

export const audiences = {
  /** Errors: `validation_error` with a pointer to each unknown segment or list and fault of the condition. */
  validate: query('contacts.audiences.validate', Audience, ValidAudience),
  /** Errors: those of `validate`. */
  check: query('contacts.audiences.check', CheckAudience, CheckedAudience),
  page: query('contacts.audiences.page', GetAudiencePage, AudiencePage),
};
