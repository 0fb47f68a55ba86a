import { event } from '../schema/contract.js';
import { Address, Choice, Flag, Id, Instant, Optional } from '../schema/fields.js';
import { sourceTypes, type SourceType } from './email-status.js';

/** About a further To, Cc or Bcc. It counts as mail, but does not change the e-mail's status. */
export class CopyEvent {
  @Id() emailId: string;
  @Address() to: string;
  @Address() from: string;
  @Choice(sourceTypes) sourceType: SourceType;
  @Instant() at: Date;
}

export class CopyBounced extends CopyEvent {
  /** Refused during the hand-off, so that there is no `sent` of it. */
  @Flag() @Optional() refused?: boolean;
}

export const copyEvents = {
  sent: event('sending.copy.sent', CopyEvent, 'The mail server accepted a copy of an e-mail.'),
  bounced: event('sending.copy.bounced', CopyBounced, 'A copy of an e-mail bounced for good.'),
  complained: event('sending.copy.complained', CopyEvent, 'The recipient of a copy reported it as spam.'),
};
