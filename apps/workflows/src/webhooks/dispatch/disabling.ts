import type { Attempt } from './attempt.js';
import { maxDaysWithoutSuccess, maxFailuresInRow } from './attempt-rules.js';
import type { Standing } from './endpoints.repository.js';

/** Why a subscription ends after these attempts; null where it goes on. */
export function disablingReason(attempts: readonly Attempt[], standing: Standing): string | null {
  if (attempts.some(({ outcome }) => outcome.kind === 'gone')) return 'The endpoint answered 410 Gone';
  if (standing.failuresInRow >= maxFailuresInRow) return `${maxFailuresInRow} attempts in a row failed`;
  return standing.isLongWithoutSuccess
    ? `No attempt has been successful for ${maxDaysWithoutSuccess} days`
    : null;
}
