import { fact, request } from './contract.js';
import { Address, Choice, Flag, Instant, Optional } from './fields.js';
import { PickFields } from './shapes.js';

export const suppressionReasons = ['HARD_BOUNCE', 'COMPLAINT', 'MANUAL', 'UNSUBSCRIBE'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

export class Suppression {
  @Address() email: string;
  @Choice(suppressionReasons) reason: SuppressionReason;
  /** Derived from the credential. */
  @Choice(['API', 'DASHBOARD', 'PROVIDER']) source: 'API' | 'DASHBOARD' | 'PROVIDER';
  @Instant() createdAt: Date;
}

export class PutSuppression extends PickFields(Suppression, ['email']) {
  @Choice(suppressionReasons) @Optional() reason?: SuppressionReason;
}

export class RemoveSuppression extends PickFields(Suppression, ['email']) {}

export class RemovedSuppression extends RemoveSuppression {
  @Flag() deleted: boolean;
}

/** Once answered, no hand-off to that address begins (guarantees.md G8). */
export const suppressions = {
  /** Idempotent: the first reason and source are kept. */
  put: request('sending.suppressions.put', PutSuppression, Suppression),
  remove: request('sending.suppressions.remove', RemoveSuppression, RemovedSuppression),
};

export class SuppressionFact extends PickFields(Suppression, ['email', 'reason']) {
  @Instant() at: Date;
}

export const suppressionFacts = {
  added: fact('sending.suppression.added', SuppressionFact, 'An address is blocked for every category.'),
  removed: fact('sending.suppression.removed', SuppressionFact, 'An address is no longer blocked.'),
};
