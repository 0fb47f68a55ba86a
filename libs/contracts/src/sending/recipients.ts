import { query } from '../schema/contract.js';
import { Addresses } from '../schema/fields.js';
import { maxRecipients } from './sends.js';

export class GetSuppressed {
  @Addresses(1, maxRecipients) emails: string[];
}

export class SuppressedRecipients {
  @Addresses(0, maxRecipients) emails: string[];
}

export const recipients = {
  /** Suppressed addresses at this moment; the hand-off checks again (docs/guarantees.md G8). */
  suppressed: query('sending.recipients.suppressed', GetSuppressed, SuppressedRecipients, { gathered: true }),
};
