import { emailActivities, type EmailActivity } from '../contacts/conditions.js';
import { request } from '../schema/contract.js';
import { DomainError, unavailable } from './errors.js';
import {
  Address,
  Addresses,
  Choice,
  Count,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
} from '../schema/fields.js';
import { PickFields } from '../schema/shapes.js';

export const maxSummarizedAddresses = 200;
/** Of events that may be on their way to those addresses. */
const maxUnderWay = 50_000;

/** How often something became of mail to one address. */
export class MailSummary {
  @Address() email: string;
  @Choice(emailActivities) kind: EmailActivity;
  @Count() count: number;
  @Instant() firstAt: Date;
  @Instant() lastAt: Date;
}

/** Part of an event that was told within the last ten minutes, or is not told yet: whoever heard it has counted it. */
export class MailUnderWay extends PickFields(MailSummary, ['email', 'kind']) {
  @Id() factId: string;
  @Instant() at: Date;
}

export class GetMailSummaries {
  @Addresses(1, maxSummarizedAddresses) emails: string[];
}

/** As of one instant. */
export class MailSummaries {
  @ListOf(() => MailSummary, 0, maxSummarizedAddresses * emailActivities.length) items: MailSummary[];
  /** Counted in `items` too. */
  @ListOf(() => MailUnderWay, 0, maxUnderWay) underWay: MailUnderWay[];
}

export const mailSummaries = {
  /** What became of the mail that sending still holds, by people only. */
  of: request('sending.mailSummaries.of', GetMailSummaries, MailSummaries),
};

/** The read models of contacts that an operator can have made anew (docs/read-models.md). */
export const rebuiltModels = [
  'contacts',
  'lists',
  'segments',
  'events',
  'event_summaries',
  'mail_summaries',
] as const;
export type RebuiltModel = (typeof rebuiltModels)[number];

/** The row behind which the next piece goes on. */
export class RebuildPosition {
  @Id() projectId: string;
  @Id() id: string;
}

export class RebuildReadModel {
  @Choice(rebuiltModels) model: RebuiltModel;
  @Nested(() => RebuildPosition) @Optional() after?: RebuildPosition;
}

export class RebuiltReadModel {
  /** What this piece has compared: projects, lists, segments or contacts, by the model. */
  @Count() compared: number;
  /** Rows of the model that were wrong, and are right now. */
  @Count() repaired: number;
  /** Null after the last piece. */
  @Nested(() => RebuildPosition) @Nullable() next: RebuildPosition | null;
}

export const readModels = {
  /** One piece of one model, of all projects: it can be stopped between any two, and begun again from the start. */
  rebuild: request('contacts.readModels.rebuild', RebuildReadModel, RebuiltReadModel),
};

export const summariesBusy = () => unavailable('Mail to a contact is being counted all the time; try again');
export const summariesDead = () =>
  new DomainError(
    'conflict',
    'conflict',
    'Facts of mail wait as dead letters and would count twice: replay them first',
  );
