import { maxConditionBytes, maxConditionJsonDepth } from './conditions.js';
import { Contact, ContactPage } from './contacts.js';
import { query, request } from '../schema/contract.js';
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
import { AlsoRequired } from '../schema/required-members.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** DYNAMIC: contacts that match the condition. STATIC: contacts added by address. Fixed at creation. */
export const segmentTypes = ['DYNAMIC', 'STATIC'] as const;
export type SegmentType = (typeof segmentTypes)[number];

/** LIVE: current within 60 s. SCHEDULED: every 15 minutes, if too expensive. MANUAL: STATIC segments. */
export const segmentUpkeeps = ['LIVE', 'SCHEDULED', 'MANUAL'] as const;
export type SegmentUpkeep = (typeof segmentUpkeeps)[number];

const maxSegmentName = 100;
/** Of all types, in one project. */
export const maxSegments = 1_000;
/** JSON of the conditions of all LIVE segments of a project together; segments beyond it are SCHEDULED. */
export const maxLiveConditionBytes = 256 * 1024;

const condition = {
  max: maxConditionBytes,
  depth: maxConditionJsonDepth,
  describe:
    '`{logic: AND | OR, groups: [{filters: [{field, operator, value, unit}], conditions}]}`; `conditions` is a nested condition',
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
  /** Null for a STATIC segment. */
  @FreeMap(condition) @Nullable() condition: Record<string, unknown> | null;
  /** Whether entries and exits are published as events. */
  @Flag() trackMembership: boolean;
  @Count() memberCount: number;
  @Choice(segmentUpkeeps) upkeep: SegmentUpkeep;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class SegmentBase extends PickFields(Segment, ['name', 'type']) {}
class SegmentSettings extends PickFields(Segment, ['description', 'condition', 'trackMembership']) {}

export const conditionMissingText = 'is required for a DYNAMIC segment';

/** `condition` is required for DYNAMIC, ignored for STATIC; `trackMembership` is false by default. */
@AlsoRequired(({ type }): Record<string, string> =>
  type === 'DYNAMIC' ? { condition: conditionMissingText } : {},
)
export class CreateSegment extends JoinFields(SegmentBase, PartialFields(SegmentSettings)) {}

class ChangeableMembers extends PickFields(Segment, [
  'name',
  'description',
  'condition',
  'trackMembership',
]) {}

/** Absent members are unchanged. A new `condition` (STATIC: ignored) recomputes members without events. */
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
  /** Create unknown addresses as contacts that are not subscribed; otherwise they are listed in `notFound`. */
  @Flag() @Optional() createMissing?: boolean;
}

export class AddMembersById extends JoinFields(SegmentId, AddMembers) {}

export class RemoveMembersById extends JoinFields(SegmentId, SegmentAddresses) {}

export class AddedMembers {
  /** Contacts that were not members yet, including created ones. */
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
  @Text(1, 1000) path: string;
  /** Contacts that this filter alone does not match. */
  @Count() count: number;
}

export class ConditionCost {
  @Choice(['LIVE', 'SCHEDULED']) upkeep: 'LIVE' | 'SCHEDULED';
  @Count() measuredMs: number;
}

export class SegmentPreview {
  @Count() count: number;
  @ListOf(() => Contact, 0, 10) sample: Contact[];
  @ListOf(() => ExcludedBy, 0, 100) excludedBy: ExcludedBy[];
  @Nested(() => ConditionCost) cost: ConditionCost;
}

export const segments = {
  /** 409 if the name or slug is taken; 422 with a pointer to each fault of the condition. */
  create: request('contacts.segments.create', CreateSegment, Segment),
  get: query('contacts.segments.get', SegmentId, Segment),
  list: query('contacts.segments.list', ListSegments, SegmentPage),
  update: request('contacts.segments.update', UpdateSegmentById, Segment),
  /** 409 while another segment, an unsent campaign or an enabled workflow uses it; the error names them. */
  delete: request('contacts.segments.delete', SegmentId, DeletedSegment),
  contacts: query('contacts.segments.contacts', ListSegmentContacts, ContactPage),
  /** Adding and removing members are 409 for a DYNAMIC segment. */
  addMembers: request('contacts.segments.add_members', AddMembersById, AddedMembers),
  removeMembers: request('contacts.segments.remove_members', RemoveMembersById, RemovedMembers),
  preview: query('contacts.segments.preview', PreviewSegment, SegmentPreview),
};

const conflict = (message: string) => new DomainError('conflict', 'conflict', message);

export const segmentNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such segment');
export const segmentNameTaken = () =>
  conflict('The name is or was used by another segment, or differs from another name only in punctuation');
/** Only the newest slugs of a segment are looked up. */
export const maxRequestedSlugs = 1_000;

export class GetSegmentUses extends PickFields(Segment, ['id']) {
  /** All current and former slugs: triggers may name any, as in `segment.<slug>.entry`. */
  @Texts(1, maxRequestedSlugs, 200) slugs: string[];
}

export const maxSegmentUses = 20;

export class SegmentUses {
  @Texts(0, maxSegmentUses, 200) names: string[];
}

export const segmentUses = {
  campaigns: query('campaigns.segments.uses', GetSegmentUses, SegmentUses),
  workflows: query('workflows.segments.uses', GetSegmentUses, SegmentUses),
};

export const segmentInUse = (users: readonly string[] = []) =>
  conflict(
    `Other segments use this one${users.length > 0 ? `: ${users.join(', ')}` : ''}. Change or delete them first`,
  );
export const segmentUsed = (users: readonly string[] = []) =>
  conflict(
    `The segment is in use${users.length > 0 ? ` by ${users.join(', ')}` : ''}. Change, send or disable its users first`,
  );
export const segmentNotStatic = () =>
  conflict('Members of a DYNAMIC segment are determined by its condition');
export const tooManySegments = () => conflict(`A project may have at most ${maxSegments} segments`);
export const liveConditionsTooLarge = () =>
  invalidMember(
    ['trackMembership'],
    'not_allowed',
    `must be false: the conditions of this project's live segments have ${maxLiveConditionBytes / 1_024} KiB together, the most that can be evaluated for each change of a contact. Delete or simplify some, or turn tracking off`,
  );
export const conditionTooCostly = (ms: number, boundMs: number) =>
  invalidMember(
    ['trackMembership'],
    'not_allowed',
    `must be false for this condition: evaluating it for all contacts took ${ms} ms, and the limit for live segments is ${boundMs} ms. Use narrower filters or turn tracking off`,
  );
