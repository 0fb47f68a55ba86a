import { event, query, request } from '../schema/contract.js';
import { DomainError, invalidMember } from '../common/errors.js';
import { Address, Choice, Flag, Id, Instant, ListOf, Nullable, Optional, Text } from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

export const emailCategories = ['TRANSACTIONAL', 'MARKETING'] as const;
export type EmailCategory = (typeof emailCategories)[number];

export const regions = ['us-east-1', 'us-west-2', 'eu-west-1'] as const;
export type Region = (typeof regions)[number];

/** PENDING: DNS did not answer. FAILED: the record is missing or different (docs/api-decisions.md §9). */
export const recordStatuses = ['NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED'] as const;
export type RecordStatus = (typeof recordStatuses)[number];

export const recordPurposes = ['DKIM', 'SPF', 'RETURN_PATH', 'DMARC', 'TRACKING', 'RECEIVING'] as const;
export type RecordPurpose = (typeof recordPurposes)[number];
export const recordTypes = ['TXT', 'CNAME', 'MX'] as const;
export type RecordType = (typeof recordTypes)[number];

export class DomainRecord {
  @Choice(recordPurposes) purpose: RecordPurpose;
  @Choice(recordTypes) type: RecordType;
  @Text(1, 255) name: string;
  @Text(1, 2048) value: string;
  @Choice(recordStatuses) status: RecordStatus;
  /** What is wrong with a record that FAILED; null where that is not known. */
  @Text(1, 500) @Nullable() problem: string | null;
}

/** Limit per project (docs/api-decisions.md §1), so one page holds all domains. */
export const maxDomains = 100;

export class SendingDomain {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(3, 253) domain: string;
  @Flag() verified: boolean;
  @Choice(regions) region: Region;
  /** The category of mail that it sends; null for both. */
  @Choice(emailCategories) @Nullable() stream: EmailCategory | null;
  @Flag() streamDefault: boolean;
  @Address() @Nullable() defaultFromAddress: string | null;
  @Choice(recordStatuses) dkimStatus: RecordStatus;
  @Choice(recordStatuses) spfStatus: RecordStatus;
  @Choice(recordStatuses) dmarcStatus: RecordStatus;
  /** The return-path domain; null while the installation has no bounce host. */
  @Text(3, 253) @Nullable() mailFromDomain: string | null;
  @Choice(recordStatuses) mailFromStatus: RecordStatus;
  /** Host of tracked links and the pixel once it is verified. */
  @Text(3, 253) @Nullable() trackingHost: string | null;
  @Choice(recordStatuses) trackingStatus: RecordStatus;
  @Flag() receivingEnabled: boolean;
  @ListOf(() => DomainRecord, 0, 20) records: DomainRecord[];
  @Instant() @Nullable() lastCheckedAt: Date | null;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

/** All domains share the region of the first one. `streamDefault` replaces the current default domain. */
export class AddDomain extends PickFields(SendingDomain, ['domain']) {
  /** Optional; must be the project of the credential. */
  @Id() @Optional() projectId?: string;
  @Choice(regions) @Optional() region?: Region;
  @Choice(emailCategories) @Optional() stream?: EmailCategory;
  @Flag() @Optional() streamDefault?: boolean;
}

/** Absent members are unchanged, null clears. A domain for both streams cannot be the default of one. */
export class UpdateDomain {
  @Choice(emailCategories) @Nullable() @Optional() stream?: EmailCategory | null;
  @Flag() @Optional() streamDefault?: boolean;
  @Address() @Nullable() @Optional() defaultFromAddress?: string | null;
  @Text(3, 253) @Nullable() @Optional() trackingHost?: string | null;
}

export class DomainId extends PickFields(SendingDomain, ['id']) {}

export class UpdateDomainById extends JoinFields(DomainId, UpdateDomain) {}

/** Marks a domain as verified without checking DNS. The first one becomes the default. */
export class VerifyDomain {
  @Text(3, 253) domain: string;
  /** Create DKIM keys and sign with them at once; otherwise Posthorn does not sign. */
  @Flag() @Optional() signed?: boolean;
}

export class RotateDkim {
  @Text(3, 253) domain: string;
}

export class ListDomains extends PageQuery {}

export class DomainPage extends PageEnd {
  @ListOf(() => SendingDomain, 0, maxDomains) items: SendingDomain[];
}

export class DeletedDomain extends PickFields(SendingDomain, ['id']) {}

export const domains = {
  /** 409 if the project has it, another one has verified it, or there are 100. 422 if it cannot be owned. */
  add: request('sending.domains.add', AddDomain, SendingDomain),
  list: query('sending.domains.list', ListDomains, DomainPage),
  get: query('sending.domains.get', DomainId, SendingDomain),
  check: request('sending.domains.check', DomainId, SendingDomain),
  update: request('sending.domains.update', UpdateDomainById, SendingDomain),
  /** 409 while an unsent campaign sends from it. */
  delete: request('sending.domains.delete', DomainId, DeletedDomain),
  verify: request('sending.domains.verify', VerifyDomain, SendingDomain),
  /** Each new key is used once its record is found; the old one stays published for seven days. */
  rotateDkim: request('sending.domains.rotate_dkim', RotateDkim, SendingDomain),
};

export class SendingDomainEvent {
  @Id() domainId: string;
  @Text(3, 253) domain: string;
  @Instant() at: Date;
}

export const domainEvents = {
  added: event(
    'sending.domain.added',
    SendingDomainEvent,
    'A sending domain was added; it can send once it is verified.',
  ),
  changed: event(
    'sending.domain.changed',
    SendingDomainEvent,
    'The settings or the keys of a sending domain were changed.',
  ),
  removed: event(
    'sending.domain.removed',
    SendingDomainEvent,
    'A sending domain was removed; messages from it that wait to be sent fail.',
  ),
  verified: event('sending.domain.verified', SendingDomainEvent, 'A sending domain was verified.'),
  unverified: event(
    'sending.domain.unverified',
    SendingDomainEvent,
    'A sending domain is no longer verified.',
  ),
};

export const domainNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such domain');
export const domainExists = () =>
  new DomainError('conflict', 'conflict', 'The project already has this domain');
export const domainTaken = () =>
  new DomainError('conflict', 'conflict', 'The domain is verified in another project');
export const domainOfSandbox = () =>
  new DomainError('conflict', 'conflict', 'The domain is reserved for the sandbox');
export const tooManyDomains = () =>
  new DomainError('conflict', 'conflict', `A project may have at most ${maxDomains} domains`);
export const domainInUse = () =>
  new DomainError('conflict', 'conflict', 'An unsent campaign uses the domain as its sender');
export const rotationUnderWay = () =>
  new DomainError(
    'conflict',
    'conflict',
    'A key rotation is already in progress: add the new records to DNS, then check the domain',
  );
export const notAHostName = () =>
  invalidMember(['domain'], 'invalid_format', 'must be a host name such as mail.example.com');
