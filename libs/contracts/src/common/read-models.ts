import { emailActivities, type EmailActivity } from '../contacts/conditions.js';
import { query, request } from '../schema/contract.js';
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
const maxUnderWay = 50_000;

export class MailSummary {
  @Address() email: string;
  @Choice(emailActivities) kind: EmailActivity;
  @Count() count: number;
  @Instant() firstAt: Date;
  @Instant() lastAt: Date;
}

/** Published within ten minutes, or not yet; subscribers that received it have counted it. */
export class MailUnderWay extends PickFields(MailSummary, ['email', 'kind']) {
  @Id() eventId: string;
  @Instant() at: Date;
}

export class GetMailSummaries {
  @Addresses(1, maxSummarizedAddresses) emails: string[];
}

export class MailSummaries {
  @ListOf(() => MailSummary, 0, maxSummarizedAddresses * emailActivities.length) items: MailSummary[];
  /** Also counted in `items`. */
  @ListOf(() => MailUnderWay, 0, maxUnderWay) underWay: MailUnderWay[];
}

export const mailSummaries = {
  /** Counts of the mail that sending still stores, without machine opens and clicks. */
  of: query('sending.mailSummaries.of', GetMailSummaries, MailSummaries),
};

/** Read models of contacts that an operator can rebuild (docs/read-models.md). */
export const rebuiltModels = [
  'contacts',
  'lists',
  'segments',
  'events',
  'event_summaries',
  'mail_summaries',
] as const;
export type RebuiltModel = (typeof rebuiltModels)[number];

export class RebuildPosition {
  @Id() projectId: string;
  @Id() id: string;
}

export class RebuildReadModel {
  @Choice(rebuiltModels) model: RebuiltModel;
  @Nested(() => RebuildPosition) @Optional() after?: RebuildPosition;
}

export class RebuiltReadModel {
  /** Projects, lists, segments or contacts compared in this step, depending on the model. */
  @Count() compared: number;
  @Count() repaired: number;
  @Nested(() => RebuildPosition) @Nullable() next: RebuildPosition | null;
}

export const readModels = {
  /** One step of one model for all projects; can be stopped after any step and started over. */
  rebuild: request('contacts.readModels.rebuild', RebuildReadModel, RebuiltReadModel),
};

/** The counters of mail. */
export const countersModel = 'analytics';

export class RebuildCounters {
  @Nested(() => RebuildPosition) @Optional() after?: RebuildPosition;
}

export const counters = {
  /** One step for all projects, one after the other; e-mails are compared. Begun again with a project that was left. */
  rebuild: request('analytics.counters.rebuild', RebuildCounters, RebuiltReadModel),
};

export const rebuiltMeanwhile = () =>
  new DomainError('conflict', 'conflict', 'Another rebuild of these counters has begun: let it finish');
export const summariesBusy = () =>
  unavailable('Mail to one of these contacts keeps being counted; try again');
export const summariesDead = () =>
  new DomainError(
    'conflict',
    'conflict',
    'Mail events are in the dead letters and would be counted twice: replay them first',
  );
