import { request } from '../schema/contract.js';
import { Address, Count, Id, ListOf, Optional } from '../schema/fields.js';

/** An address that wants no marketing mail of a project. */
export class OptOut {
  @Address() email: string;
  /** The contact and the change of it that this is; a stranger has none. */
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
  /** Once answered, no marketing mail to these addresses begins its hand-off (docs/guarantees.md §3); told before the contact changes. Idempotent. */
  put: request('sending.optouts.put', PutOptOuts, PutOptOutsReceipt, { batch: true }),
};
