import { event, query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Address, Choice, Count, Flag, Instant, ListOf, Optional } from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

export const suppressionReasons = ['HARD_BOUNCE', 'COMPLAINT', 'MANUAL', 'UNSUBSCRIBE'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

export class Suppression {
  @Address() email: string;
  @Choice(suppressionReasons) reason: SuppressionReason;
  @Choice(['API', 'DASHBOARD', 'PROVIDER']) source: 'API' | 'DASHBOARD' | 'PROVIDER';
  @Instant() createdAt: Date;
}

export class PutSuppression extends PickFields(Suppression, ['email']) {
  @Choice(suppressionReasons) @Optional() reason?: SuppressionReason;
}

export class SuppressionAddress extends PickFields(Suppression, ['email']) {}

export class RemovedSuppression extends SuppressionAddress {
  @Flag() deleted: boolean;
}

export class SuppressionFilter {
  @Choice(suppressionReasons) @Optional() reason?: SuppressionReason;
}

export class ListSuppressions extends JoinFields(PageQuery, SuppressionFilter) {}

export class SuppressionPage extends PageEnd {
  @ListOf(() => Suppression, 0, 100) items: Suppression[];
  /** Further suppressions of erased people: they still block their address but are found only by it. */
  @Count() erased: number;
}

/** After the reply, no hand-off to that address starts (docs/guarantees.md G8). */
export const suppressions = {
  /** Idempotent: the first reason and source are kept. */
  put: request('sending.suppressions.put', PutSuppression, Suppression),
  list: query('sending.suppressions.list', ListSuppressions, SuppressionPage),
  get: query('sending.suppressions.get', SuppressionAddress, Suppression),
  remove: request('sending.suppressions.remove', SuppressionAddress, RemovedSuppression),
};

export class SuppressionEvent extends PickFields(Suppression, ['email', 'reason']) {
  @Instant() at: Date;
}

export const suppressionEvents = {
  added: event('sending.suppression.added', SuppressionEvent, 'An address was suppressed for all mail.'),
  removed: event('sending.suppression.removed', SuppressionEvent, 'An address is no longer suppressed.'),
};

export const suppressionNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'The address is not suppressed');
