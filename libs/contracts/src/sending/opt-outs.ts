import { request } from '../schema/contract.js';
import { Address, Count, Id, ListOf, Optional } from '../schema/fields.js';

/** An address without consent to marketing mail of a project. */
export class OptOut {
  @Address() email: string;
  /** The contact and the version of its change; absent for an address that is not a contact. */
  @Id() @Optional() contactId?: string;
  @Count() @Optional() seq?: number;
}

export class PutOptOuts {
  @ListOf(() => OptOut, 1, 500) optOuts: OptOut[];
}

export class PutOptOutsReceipt {
  @Count() put: number;
}

export const optOuts = {
  /** After the reply, nothing is handed off to these addresses (docs/guarantees.md §3). Idempotent. */
  put: request('sending.optouts.put', PutOptOuts, PutOptOutsReceipt, { gathered: true }),
};
