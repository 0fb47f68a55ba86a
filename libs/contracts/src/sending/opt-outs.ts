import { request } from '../schema/contract.js';
import { Address, Choice, Count, Id, ListOf, Optional } from '../schema/fields.js';
import { suppressionReasons, type SuppressionReason } from './suppressions.js';

/** An address without consent to marketing mail of a project. */
export class OptOut {
  @Address() email: string;
  /** The contact and the version of its change; absent for an address that is not a contact. */
  @Id() @Optional() contactId?: string;
  @Count() @Optional() seq?: number;
  /** Suppresses the address for all mail, too: an import knows that it bounced, or that the person complained. */
  @Choice(suppressionReasons) @Optional() suppress?: SuppressionReason;
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
