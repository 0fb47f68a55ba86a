import { query, request } from '../schema/contract.js';
import { DomainError } from './errors.js';
import { Address, Choice, Flag, Id, Instant, ListOf, Nullable } from '../schema/fields.js';
import { PickFields } from '../schema/shapes.js';

/** Replaces an erased address (docs/api-decisions.md §5); the domain is reserved (RFC 2606). */
const erasedDomain = 'erased.invalid';
export const erasedAddress = `erased@${erasedDomain}`;
export const isErasedAddress = (email: string): boolean => email.endsWith(`@${erasedDomain}`);

export class EraseAddress {
  @Id() erasureId: string;
  /** The erased contact; events may refer to it without its address. */
  @Id() contactId: string;
  @Address() email: string;
  /** When the contact was deleted; later mail belongs to the current owner of the address. */
  @Instant() erasedAt: Date;
}

export class ErasedAddress {
  /** False after a bounded step (at most a thousand rows of a table): call again. */
  @Flag() done: boolean;
}

export const erasingServices = [
  'contacts',
  'sending',
  'analytics',
  'campaigns',
  'workflows',
  'gateway',
] as const;
export type ErasingService = (typeof erasingServices)[number];

export class ServiceErasure {
  @Choice(erasingServices) service: ErasingService;
  /** Null while the service may still hold data of the person. */
  @Instant() @Nullable() completedAt: Date | null;
}

/** An erasure report. Its id is that of the contact, and it holds no personal data. */
export class Erasure {
  @Id() id: string;
  @Id() contactId: string;
  @Instant() createdAt: Date;
  @Instant() @Nullable() completedAt: Date | null;
  @ListOf(() => ServiceErasure, 0, erasingServices.length) services: ServiceErasure[];
}

export class ErasureId extends PickFields(Erasure, ['id']) {}

/** Erases what a service holds of a deleted contact. Idempotent; each call does a bounded step. */
export const eraseIn = {
  sending: request('sending.erasures.erase', EraseAddress, ErasedAddress),
  analytics: request('analytics.erasures.erase', EraseAddress, ErasedAddress),
  campaigns: request('campaigns.erasures.erase', EraseAddress, ErasedAddress),
  workflows: request('workflows.erasures.erase', EraseAddress, ErasedAddress),
  gateway: request('gateway.erasures.erase', EraseAddress, ErasedAddress),
};

export const erasures = {
  get: query('contacts.erasures.get', ErasureId, Erasure),
};

export const erasureNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such erasure');
