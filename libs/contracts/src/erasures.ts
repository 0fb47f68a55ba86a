import { request } from './contract.js';
import { Address, Flag, Id } from './fields.js';

/** Whom a service is to forget: the address goes by call, since no stored fact may hold it. */
export class EraseAddress {
  @Id() erasureId: string;
  @Id() contactId: string;
  @Address() email: string;
}

export class ErasedAddress {
  /** False where one bounded piece was done, or something is on its way right now: ask again. */
  @Flag() done: boolean;
}

/** What each service holds of a person, by the name of the service. Idempotent; asked until `done`. */
export const eraseIn = {
  sending: request('sending.erasures.erase', EraseAddress, ErasedAddress),
};
