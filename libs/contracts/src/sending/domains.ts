import { event, request } from '../schema/contract.js';
import { DomainError, invalidMember } from '../common/errors.js';
import { Address, Choice, Flag, Id, Instant, ListOf, Nullable, Optional, Text } from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

export const streams = ['TRANSACTIONAL', 'MARKETING'] as const;
export type Stream = (typeof streams)[number];

export const regions = ['us-east-1', 'us-west-2', 'eu-west-1'] as const;
export type Region = (typeof regions)[number];

/** PENDING: nobody could say. FAILED: the DNS answered, and the record is missing or another one (docs/api-decisions.md §9). */
export const recordStatuses = ['NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED'] as const;
export type RecordStatus = (typeof recordStatuses)[number];

export const recordPurposes = ['DKIM', 'SPF', 'RETURN_PATH', 'DMARC', 'TRACKING', 'RECEIVING'] as const;
export type RecordPurpose = (typeof recordPurposes)[number];
export const recordTypes = ['TXT', 'CNAME', 'MX'] as const;
export type RecordType = (typeof recordTypes)[number];

/** What its owner pastes into the DNS of the domain. */
export class DomainRecord {
  @Choice(recordPurposes) purpose: RecordPurpose;
  @Choice(recordTypes) type: RecordType;
  @Text(1, 255) name: string;
  @Text(1, 2048) value: string;
  @Choice(recordStatuses) status: RecordStatus;
}

/** A project has at most so many (docs/api-decisions.md §1): a list of that length is the whole. */
export const maxDomains = 100;

export class SendingDomain {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(3, 253) domain: string;
  @Flag() verified: boolean;
  @Choice(regions) region: Region;
  /** The one kind of mail that it sends; null for both. */
  @Choice(streams) @Nullable() stream: Stream | null;
  /** Supplies the sender of its stream where a send names none. */
  @Flag() streamDefault: boolean;
  /** Supplies the sender where a send names none. */
  @Address() @Nullable() defaultFromAddress: string | null;
  @Choice(recordStatuses) dkimStatus: RecordStatus;
  @Choice(recordStatuses) spfStatus: RecordStatus;
  @Choice(recordStatuses) dmarcStatus: RecordStatus;
  /** Where bounces come back to; null while the installation has no host for them. */
  @Text(3, 253) @Nullable() mailFromDomain: string | null;
  @Choice(recordStatuses) mailFromStatus: RecordStatus;
  /** Links and the pixel of its mail go there once it is verified. */
  @Text(3, 253) @Nullable() trackingHost: string | null;
  @Choice(recordStatuses) trackingStatus: RecordStatus;
  @Flag() receivingEnabled: boolean;
  @ListOf(() => DomainRecord, 0, 20) records: DomainRecord[];
  @Instant() @Nullable() lastCheckedAt: Date | null;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

/** The region of a project's first domain is that of all. `streamDefault` takes the place of the domain that had it. */
export class AddDomain extends PickFields(SendingDomain, ['domain']) {
  /** The project of the credential; it may be named (the API specification). */
  @Id() @Optional() projectId?: string;
  @Choice(regions) @Optional() region?: Region;
  @Choice(streams) @Optional() stream?: Stream;
  @Flag() @Optional() streamDefault?: boolean;
}

/** Absent leaves, null clears. A domain that serves both streams is no default of one. */
export class UpdateDomain {
  @Choice(streams) @Nullable() @Optional() stream?: Stream | null;
  @Flag() @Optional() streamDefault?: boolean;
  @Address() @Nullable() @Optional() defaultFromAddress?: string | null;
  /** A name beneath the domain. */
  @Text(3, 253) @Nullable() @Optional() trackingHost?: string | null;
}

export class DomainId extends PickFields(SendingDomain, ['id']) {}

export class UpdateDomainById extends JoinFields(DomainId, UpdateDomain) {}

/** The operator vouches for a domain: it is verified without a look into the DNS. The first one becomes the default. */
export class VerifyDomain {
  @Text(3, 253) domain: string;
  /** Make keys, and sign with them at once; without it the mail server signs, or nobody. */
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
  /** 409: it is the project's already, it is verified in another project, or there are 100. 422: no host name that can be owned. */
  add: request('sending.domains.add', AddDomain, SendingDomain),
  list: request('sending.domains.list', ListDomains, DomainPage),
  get: request('sending.domains.get', DomainId, SendingDomain),
  /** Looks its records up now. */
  check: request('sending.domains.check', DomainId, SendingDomain),
  update: request('sending.domains.update', UpdateDomainById, SendingDomain),
  /** 409 while an unsent campaign sends from it. */
  delete: request('sending.domains.delete', DomainId, DeletedDomain),
  verify: request('sending.domains.verify', VerifyDomain, SendingDomain),
  /** New keys beside those that sign: each takes over once its record is found, and the old one stays published for seven days. */
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
    'A sending domain was added; it sends once it is verified.',
  ),
  changed: event(
    'sending.domain.changed',
    SendingDomainEvent,
    'The settings or the keys of a sending domain were changed.',
  ),
  removed: event(
    'sending.domain.removed',
    SendingDomainEvent,
    'A sending domain was removed; what waits to be sent from it fails.',
  ),
  verified: event('sending.domain.verified', SendingDomainEvent, 'A sending domain was verified.'),
  unverified: event(
    'sending.domain.unverified',
    SendingDomainEvent,
    'A sending domain lost its verification.',
  ),
};

export const domainNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such domain');
export const domainExists = () =>
  new DomainError('conflict', 'conflict', 'The domain is one of the project already');
export const domainTaken = () =>
  new DomainError('conflict', 'conflict', 'The domain is verified in another project');
export const domainOfSandbox = () =>
  new DomainError('conflict', 'conflict', 'The domain is that of the sandbox');
export const tooManyDomains = () =>
  new DomainError('conflict', 'conflict', `A project has at most ${maxDomains} domains`);
export const domainInUse = () =>
  new DomainError('conflict', 'conflict', 'A campaign that is not sent yet sends from the domain');
export const rotationUnderWay = () =>
  new DomainError(
    'conflict',
    'conflict',
    'New keys of the domain wait for their records already: paste them, then check the domain',
  );
export const notAHostName = () =>
  invalidMember(['domain'], 'invalid_format', 'must be a host name such as mail.example.com');

/** An allowance is counted per calendar month (UTC) and category; null lifts it. */
export class SetAllowance {
  @Choice(streams) category: Stream;
  @Text(1, 20, { pattern: /^(\d{1,9}|none)$/, example: '10000' }) monthly: string;
}

export class Allowance {
  @Choice(streams) category: Stream;
  @Text(1, 20) monthly: string;
}

export const allowances = {
  set: request('sending.allowances.set', SetAllowance, Allowance),
};
