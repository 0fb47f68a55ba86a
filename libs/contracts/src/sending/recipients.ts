import { request } from '../schema/contract.js';
import { Addresses } from '../schema/fields.js';
import { maxRecipients } from './sends.js';

export class GetSuppressed {
  @Addresses(1, maxRecipients) emails: string[];
}

export class SuppressedRecipients {
  /** Of those asked for, in their order. */
  @Addresses(0, maxRecipients) emails: string[];
}

export const recipients = {
  /** Which of these addresses are sent nothing; the hand-off decides anew (docs/guarantees.md G8). */
  suppressed: request('sending.recipients.suppressed', GetSuppressed, SuppressedRecipients, { batch: true }),
};
