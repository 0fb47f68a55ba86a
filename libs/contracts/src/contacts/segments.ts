import { maxConditionBytes, maxConditionJsonDepth } from './conditions.js';
import { Contact, ContactPage } from './contacts.js';
import { request } from '../schema/contract.js';
import { DomainError, invalidMember } from '../common/errors.js';
import {
  Addresses,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
  Texts,
} from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** DYNAMIC: whoever matches the condition. STATIC: whoever was put in, by address. Fixed at creation. */
export const segmentTypes = ['DYNAMIC', 'STATIC'] as const;
export type SegmentType = (typeof segmentTypes)[number];

/**
 * LIVE: within 60 s of whatever changes an answer, time included. SCHEDULED: every quarter of an hour, because the condition takes too long to
 * answer for all contacts. MANUAL: by hand, as a STATIC one is.
 */
export const segmentUpkeeps = ['LIVE', 'SCHEDULED', 'MANUAL'] as const;
export type SegmentUpkeep = (typeof segmentUpkeeps)[number];

const maxSegmentName = 100;

/** `{logic, groups: [{filters: [{field, operator, value, unit}], conditions?}]}`, as it was given; conditions.ts says what it means. */
const condition = {
  max: maxConditionBytes,
  depth: maxConditionJsonDepth,
  describe:
    '`{logic: AND | OR, groups: [{filters: [{field, operator, value, unit}], conditions}]}`, where `conditions` is of the same kind',
  example: {
    logic: 'AND',
    groups: [{ filters: [{ field: 'customFields.plan', operator: 'equals', value: 'pro' }] }],
  },
};

export class Segment {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(1, maxSegmentName) name: string;
  @Text(0, 500) @Nullable() description: string | null;
  @Choice(segmentTypes) type: SegmentType;
  /** Null for a STATIC one. */
  @FreeMap(condition) @Nullable() condition: Record<string, unknown> | null;
  /** Whether entries and exits are told. */
  @Flag() trackMembership: boolean;
  @Count() memberCount: number;
  @Choice(segmentUpkeeps) upkeep: SegmentUpkeep;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class SegmentBase extends PickFields(Segment, ['name', 'type']) {}
class SegmentSettings extends PickFields(Segment, ['description', 'condition', 'trackMembership']) {}

/** `condition` is required for a DYNAMIC segment, and ignored for a STATIC one; `trackMembership` is false unless said otherwise. */
export class CreateSegment extends JoinFields(SegmentBase, PartialFields(SegmentSettings)) {}

class ChangeableMembers extends PickFields(Segment, [
  'name',
  'description',
  'condition',
  'trackMembership',
]) {}

/** Absent leaves. `condition` is ignored for a STATIC segment; another one counts the members anew, and tells nobody. */
export class UpdateSegment extends PartialFields(ChangeableMembers) {}

export class SegmentId extends PickFields(Segment, ['id']) {}

export class UpdateSegmentById extends JoinFields(SegmentId, UpdateSegment) {}

export class ListSegments extends PageQuery {}

export class SegmentPage extends PageEnd {
  @ListOf(() => Segment, 0, 100) items: Segment[];
}

export class ListSegmentContacts extends JoinFields(PageQuery, SegmentId) {}

export class DeletedSegment extends PickFields(Segment, ['id']) {}

export class SegmentAddresses {
  @Addresses(1, 500) emails: string[];
}

export class AddMembers extends SegmentAddresses {
  /** Makes contacts of strangers, who have not subscribed; else they are answered as not found. */
  @Flag() @Optional() createMissing?: boolean;
}

export class AddMembersById extends JoinFields(SegmentId, AddMembers) {}

export class RemoveMembersById extends JoinFields(SegmentId, SegmentAddresses) {}

export class AddedMembers {
  /** Of those that were no members, also the created. */
  @Count() added: number;
  @Count() created: number;
  @Addresses(0, 500) notFound: string[];
}

export class RemovedMembers {
  @Count() removed: number;
}

export class PreviewSegment {
  @FreeMap(condition) condition: Record<string, unknown>;
}

export class ExcludedBy {
  /** JSON Pointer of one filter in the condition. */
  @Text(1, 1000) path: string;
  /** Contacts that this filter alone does not match. */
  @Count() count: number;
}

/** What the condition costs, for all contacts of the project. */
export class ConditionCost {
  /** How a segment with this condition would be kept. */
  @Choice(['LIVE', 'SCHEDULED']) upkeep: 'LIVE' | 'SCHEDULED';
  /** Milliseconds that this answer took. */
  @Count() measuredMs: number;
  /** What the planner expected, in its own unit. */
  @Count() estimate: number;
}

export class SegmentPreview {
  @Count() count: number;
  /** Some of them, at most ten. */
  @ListOf(() => Contact, 0, 10) sample: Contact[];
  @ListOf(() => ExcludedBy, 0, 100) excludedBy: ExcludedBy[];
  @Nested(() => ConditionCost) cost: ConditionCost;
}

export const segments = {
  /** 409 for a taken name or slug; 422 for a condition, with the place of each fault. */
  create: request('contacts.segments.create', CreateSegment, Segment),
  get: request('contacts.segments.get', SegmentId, Segment),
  list: request('contacts.segments.list', ListSegments, SegmentPage),
  update: request('contacts.segments.update', UpdateSegmentById, Segment),
  /** 409 while another segment, an unsent campaign or an enabled workflow uses it, which are named. */
  delete: request('contacts.segments.delete', SegmentId, DeletedSegment),
  contacts: request('contacts.segments.contacts', ListSegmentContacts, ContactPage),
  /** 409 for a DYNAMIC one, as for removing. */
  addMembers: request('contacts.segments.add_members', AddMembersById, AddedMembers),
  removeMembers: request('contacts.segments.remove_members', RemoveMembersById, RemovedMembers),
  preview: request('contacts.segments.preview', PreviewSegment, SegmentPreview),
};

const conflict = (message: string) => new DomainError('conflict', 'conflict', message);

export const segmentNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such segment');
export const segmentNameTaken = () =>
  conflict('A segment has this name, had it once, or has one that is alike in letters and digits');
/** The newest slugs of a segment, as many as are asked after. */
export const maxRequestedSlugs = 1_000;

export class GetSegmentUses extends PickFields(Segment, ['id']) {
  /** All that it has or had: triggers may name it by any, as in `segment.<slug>.entry`. */
  @Texts(1, maxRequestedSlugs, 200) slugs: string[];
}

/** At most so many are named. */
export const maxSegmentUses = 20;

export class SegmentUses {
  @Texts(0, maxSegmentUses, 200) names: string[];
}

/** Asked of whoever may yet send to a segment or begin by it, when it is to be deleted. */
export const segmentUses = {
  /** Those that are not sent yet. */
  campaigns: request('campaigns.segments.uses', GetSegmentUses, SegmentUses),
  /** Enabled ones, by their trigger or by a step. */
  workflows: request('workflows.segments.uses', GetSegmentUses, SegmentUses),
};

export const segmentInUse = (users: readonly string[] = []) =>
  conflict(
    `Other segments name this one${users.length > 0 ? `: ${users.join(', ')}` : ''}. Change or delete them first`,
  );
export const segmentUsed = (users: readonly string[] = []) =>
  conflict(
    `The segment is used${users.length > 0 ? ` by ${users.join(', ')}` : ''}. Change, send or disable what uses it first`,
  );
export const segmentNotStatic = () => conflict('Members of a DYNAMIC segment follow from its condition');
export const conditionTooCostly = (ms: number, boundMs: number) =>
  invalidMember(
    ['trackMembership'],
    'not_allowed',
    `must be false for this condition: it took ${ms} ms for all contacts, and at most ${boundMs} ms can be kept live. Use narrower filters, or do without tracking`,
  );
