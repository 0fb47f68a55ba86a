import { request } from '../schema/contract.js';
import { Address, Choice, Count, Flag, Id, Instant, ListOf, Optional, Text } from '../schema/fields.js';

export const providerSources = [
  'simulator', 'ses', 'postmark', 'sendgrid', 'mailgun', 'brevo', 'dsn', 'arf',
] as const; // prettier-ignore
export type ProviderSource = (typeof providerSources)[number];

/** After the hand-off. `SOFT_BOUNCED`: given up, but the address may work later; `BOUNCED`: it will not.
 * `REJECTED`: the provider refused the message after it had taken it, so it was never sent on. */
export const providerEventKinds = [
  'SENT', 'DELAYED', 'SOFT_BOUNCED', 'DELIVERED', 'REJECTED', 'BOUNCED', 'COMPLAINED', 'OPENED', 'CLICKED',
] as const; // prettier-ignore
export type ProviderEventKind = (typeof providerEventKinds)[number];

export class ProviderEvent {
  @Choice(providerSources) source: ProviderSource;
  /** The provider's id of the report: the same id, kind and recipient count once. */
  @Text(1, 300) eventId: string;
  @Choice(providerEventKinds) kind: ProviderEventKind;
  @Id() emailId: string;
  /** The recipient's index in the return path; 0 is `to`, followed by cc and bcc. */
  @Count({ max: 255 }) @Optional() position?: number;
  /** The recipient, where the report names it and no index; without both it is about `to`. */
  @Address() @Optional() recipient?: string;
  /** The provider's clock, which is not trusted: limited to between the e-mail's creation and now. */
  @Instant() @Optional() at?: Date;
  /** Enhanced status code (RFC 3463); decides with `replyCode` whether the address is suppressed. */
  @Text(5, 11, { pattern: /^[245]\.\d{1,3}\.\d{1,3}$/, example: '5.1.1' }) @Optional() statusCode?: string;
  /** SMTP reply code of the receiving server. */
  @Count({ max: 599 }) @Optional() replyCode?: number;
  /** False keeps the address from being suppressed, whatever the codes say. */
  @Flag() @Optional() suppresses?: boolean;
  @Text(0, 1_000) @Optional() detail?: string;
  @Text(0, 255) @Optional() host?: string;
  @Text(1, 255) @Optional() providerMessageId?: string;
  /** Of a click. */
  @Text(1, 2048) @Optional() url?: string;
  /** Of an open or click. */
  @Text(0, 512) @Optional() userAgent?: string;
}

/** What one report of the provider says, of any projects. */
export class RecordProviderEvents {
  @ListOf(() => ProviderEvent, 1, 500) items: ProviderEvent[];
}

export class RecordedProviderEvents {
  /** New events; repeated ones, and those of unknown e-mails, do not count. */
  @Count() recorded: number;
}

export const providerEvents = {
  /** One commit for all calls that are gathered meanwhile. After the reply nothing of the report can be lost. */
  record: request('sending.providerEvents.record', RecordProviderEvents, RecordedProviderEvents, {
    gathered: true,
  }),
};
