import { request } from '../schema/contract.js';
import { DomainError } from './errors.js';
import { Address, Choice, Flag, Id, Instant, ListOf, Nullable } from '../schema/fields.js';
import { PickFields } from '../schema/shapes.js';

/** Stands wherever an erased address stood in something that is kept (docs/api-decisions.md §5). The domain is nobody's and never will be (RFC 2606). */
const erasedDomain = 'erased.invalid';
export const erasedAddress = `erased@${erasedDomain}`;
export const isErasedAddress = (email: string): boolean => email.endsWith(`@${erasedDomain}`);

/** Told again and again until the service is done: nothing that is stored or published may hold the address. */
export class EraseAddress {
  @Id() erasureId: string;
  /** The contact that is erased; events may name it without its address. */
  @Id() contactId: string;
  @Address() email: string;
  /** When the contact was deleted: mail that was accepted later is to whoever has the address then. */
  @Instant() erasedAt: Date;
}

export class ErasedAddress {
  /** False where a bounded piece of the work was done, at most a thousand rows of a table: ask again. */
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

/** What one service has done of an erasure. */
export class ServiceErasure {
  @Choice(erasingServices) service: ErasingService;
  /** Null while something of the person may be left in it. */
  @Instant() @Nullable() completedAt: Date | null;
}

/** The report of an erasure: its id is that of the contact, and it holds nothing of the person. */
export class Erasure {
  @Id() id: string;
  @Id() contactId: string;
  @Instant() createdAt: Date;
  /** Null until every service is done. */
  @Instant() @Nullable() completedAt: Date | null;
  @ListOf(() => ServiceErasure, 0, erasingServices.length) services: ServiceErasure[];
}

export class ErasureId extends PickFields(Erasure, ['id']) {}

/** Everything that a service holds of a person whose contact was deleted. Idempotent; each call does a bounded piece. */
export const eraseIn = {
  sending: request('sending.erasures.erase', EraseAddress, ErasedAddress),
  analytics: request('analytics.erasures.erase', EraseAddress, ErasedAddress),
  campaigns: request('campaigns.erasures.erase', EraseAddress, ErasedAddress),
  workflows: request('workflows.erasures.erase', EraseAddress, ErasedAddress),
  gateway: request('gateway.erasures.erase', EraseAddress, ErasedAddress),
};

export const erasures = {
  /** By the id of the contact that was deleted. */
  get: request('contacts.erasures.get', ErasureId, Erasure),
};

export const erasureNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such erasure');
