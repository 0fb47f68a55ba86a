import { AuditActor } from '../gateway/audit.js';
import { ContactId } from './contacts.js';
import { query } from '../schema/contract.js';
import { Choice, Flag, Id, Instant, ListOf, Nested, Nullable, Text } from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields } from '../schema/shapes.js';

export const consentSources = [
  'API',
  'DASHBOARD',
  'BULK',
  'IMPORT',
  'LIST',
  'SEGMENT',
  'SEND',
  'TRACK',
  'UNSUBSCRIBE_PAGE',
] as const;
export type ConsentSource = (typeof consentSources)[number];

export class Consent {
  @Id() id: string;
  @Id() contactId: string;
  /** What the consent is to; null: all marketing mail. */
  @Id() @Nullable() topicId: string | null;
  @Flag() @Nullable() before: boolean | null;
  @Flag() after: boolean;
  @Instant() at: Date;
  @Choice(consentSources, { open: true }) source: ConsentSource;
  /** Null if a service acted on its own. */
  @Nested(() => AuditActor) @Nullable() actor: AuditActor | null;
  @Text(1, 64) @Nullable() address: string | null;
  @Text(1, 512) @Nullable() userAgent: string | null;
  @Text(1, 4000) @Nullable() text: string | null;
}

export class ListConsents extends JoinFields(ContactId, PageQuery) {}

export class ConsentPage extends PageEnd {
  @ListOf(() => Consent, 0, 100) items: Consent[];
}

export const consents = {
  /** Newest first; 404 for an unknown contact. */
  list: query('contacts.consents.list', ListConsents, ConsentPage),
};
