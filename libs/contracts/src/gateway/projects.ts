import { event, query, request } from '../schema/contract.js';
import { DomainError, inSeconds, invalidMember } from '../common/errors.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  Id,
  Instant,
  Line,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { memberRoles, type MemberRole } from './members.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** The project that sends Posthorn's own mail; a fixed id, so that an operator can verify its domain. */
export const systemProjectId = '01900000-0000-7000-8000-000000000001';

export const disabledReasons = ['PAYMENT_FAILED', 'EMAIL_REPUTATION', 'PHISHING_DETECTED', 'MANUAL'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

export const trackings = ['ENABLED', 'DISABLED', 'MARKETING_ONLY'] as const;
export type Tracking = (typeof trackings)[number];

/** How often a contact gets marketing mail of campaigns at most. */
export class FrequencyCap {
  @Count({ min: 1, max: 100 }) messages: number;
  /** Of 24 hours each, back from the hand-off. */
  @Count({ min: 1, max: 30 }) days: number;
}

/** Of the IANA database. */
const TimeZone = () => Text(1, 64, { v1Only: true, example: 'Europe/Berlin' });

/** Several lines are usual. */
const PostalAddress = () =>
  Text(1, 500, { v1Only: true, example: 'Example Ltd, 1 Main Street, Springfield' });

const Language = () => Text(2, 12, { pattern: /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/, example: 'en' });

export class Project {
  @Id() id: string;
  @Text(1, 100) name: string;
  @Flag() disabled: boolean;
  @Choice(disabledReasons) @Nullable() disabledReason: DisabledReason | null;
  @Text(1, 64) sandboxHandle: string;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
  @Count() seq: number;
  @Choice(trackings) @Optional() tracking?: Tracking;
  @Language() @Optional() language?: string;
  @TimeZone() @Optional() timeZone?: string;
  @PostalAddress() @Nullable() @Optional() postalAddress?: string | null;
  @Nested(() => FrequencyCap) @Nullable() @Optional() frequencyCap?: FrequencyCap | null;
}

/** Stands in headers and on pages; those from before may have several lines. */
export class CreateProject {
  @Line(1, 100) name: string;
}
class ProjectOwner {
  /** Of a person who can sign in; without one only keys reach the project. */
  @Address() @Optional() owner?: string;
}
export class CreateOwnedProject extends JoinFields(CreateProject, ProjectOwner) {}
export class ProjectId extends PickFields(Project, ['id']) {}

export class DisableProject extends ProjectId {
  @Choice(disabledReasons) reason: DisabledReason;
}

/** Requests per second for each kind of key; null restores the defaults (10 and 5). */
export class LimitProject extends ProjectId {
  @Count({ min: 1, max: 1_000_000 }) @Nullable() secretPerSecond: number | null;
  @Count({ min: 1, max: 1_000_000 }) @Nullable() publicPerSecond: number | null;
}

export class ProjectPage extends PageEnd {
  @ListOf(() => Project, 0, 100) items: Project[];
}

export class ListProjects extends PageQuery {}

const legacyOnly = { legacyOnly: true } as const;

/** A project as its members see it; each surface shows different members (docs/api-decisions.md §2). */
export class ProjectDetails extends PickFields(Project, ['id', 'name', 'disabled']) {
  @Choice(disabledReasons, legacyOnly) @Nullable() disabledReason: DisabledReason | null;
  @Text(1, 64, legacyOnly) sandboxHandle: string;
  @Address({ v1Only: true }) sandboxAddress: string;
  @Text(1, 100, legacyOnly) @Nullable() paymentCustomerId: null;
  @Text(1, 100, legacyOnly) @Nullable() paymentSubscriptionId: null;
  @Count(legacyOnly) @Nullable() billingLimitWorkflows: null;
  @Count(legacyOnly) @Nullable() billingLimitCampaigns: null;
  @Count(legacyOnly) @Nullable() billingLimitTransactional: null;
  @Count(legacyOnly) @Nullable() billingLimitInbound: null;
  @Text(1, 32, { v1Only: true }) region: string;
  @Choice(trackings) tracking: Tracking;
  @Text(1, 32, legacyOnly) providerRegion: string;
  @Language() language: string;
  /** Where a contact names none of its own; `UTC` at first. */
  @TimeZone() timeZone: string;
  /** Of the sender, for the end of marketing mail; several countries demand one. Null: none. */
  @PostalAddress() @Nullable() postalAddress: string | null;
  /** Skips a contact that had so much campaign mail since the cap was set (`frequency_cap`); null: none. */
  @Nested(() => FrequencyCap, { v1Only: true }) @Nullable() frequencyCap: FrequencyCap | null;
  @Id(legacyOnly) @Nullable() organizationId: null;
  @Instant() createdAt: Date;
  @Instant(legacyOnly) updatedAt: Date;
}

class GivenFrequencyCap extends PickFields(FrequencyCap, ['messages', 'days']) {}

class ProjectSettings extends PickFields(ProjectDetails, [
  'tracking',
  'language',
  'timeZone',
  'postalAddress',
]) {
  @Nested(() => GivenFrequencyCap, { v1Only: true }) @Nullable() frequencyCap: GivenFrequencyCap | null;
}
export class UpdateProject extends PartialFields(JoinFields(CreateProject, ProjectSettings)) {}

export const notALanguage = (...path: string[]) =>
  invalidMember(path, 'invalid_format', 'must be a language that exists, such as en or pt-BR');

export const notATimeZone = (...path: string[]) =>
  invalidMember(path, 'invalid_format', 'must be a time zone of the IANA database, such as Europe/Berlin');

export const projects = {
  create: request('gateway.projects.create', CreateOwnedProject, Project),
  get: query('gateway.projects.get', ProjectId, Project),
  /** All projects, newest first; read models are built from it. */
  list: query('gateway.projects.list', ListProjects, ProjectPage),
  disable: request('gateway.projects.disable', DisableProject, Project),
  enable: request('gateway.projects.enable', ProjectId, Project),
  limit: request('gateway.projects.limit', LimitProject, Project),
};

export class ProjectEvent extends PickFields(Project, [
  'id',
  'disabled',
  'disabledReason',
  'seq',
  'tracking',
  'language',
  'timeZone',
  'postalAddress',
  'frequencyCap',
]) {
  @Instant() at: Date;
  @Text(1, 100) @Optional() name?: string;
}

export class MemberEvent {
  @Id() userId: string;
  @Choice(memberRoles) role: MemberRole;
  @Instant() at: Date;
}

export const projectEvents = {
  changed: event(
    'gateway.project.changed',
    ProjectEvent,
    'A project was created, changed, disabled or enabled; carries its new state.',
  ),
  memberAdded: event('gateway.member.added', MemberEvent, 'A user was added to a project.'),
  memberChanged: event('gateway.member.changed', MemberEvent, 'The role of a member changed.'),
  memberRemoved: event('gateway.member.removed', MemberEvent, 'A user was removed from a project.'),
};

export const projectNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such project');
export const emailNotVerified = () =>
  new DomainError('forbidden', 'scope_missing', 'The e-mail address of the account is not verified');
export const tooManyProjects = () =>
  new DomainError('conflict', 'conflict', 'A person may own at most 10 active projects');
export const tooManyNewProjects = (retryAfterSeconds: number) =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `A person may create at most 5 projects per hour; try again ${inSeconds(retryAfterSeconds)}`,
    { retryAfterSeconds, limit: 5 },
  );
