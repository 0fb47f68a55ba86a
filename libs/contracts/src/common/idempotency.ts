import { DomainError } from './errors.js';
import { Text } from '../schema/fields.js';

/** Unique per project and operation; repeats get the first response unchanged (docs/api-decisions.md §3). */
export class IdempotentRequest {
  @Text(1, 255) key: string;
  @Text(1, 100) operation: string;
  /** SHA-256 of the canonical JSON of the body and of the ids in the path, in hex. */
  @Text(64, 64) bodyHash: string;
}

export const keyInFlight = () =>
  new DomainError(
    'conflict',
    'conflict',
    'The first request with this Idempotency-Key is still in progress',
    {
      retryAfterSeconds: 1,
    },
  );
export const keyReused = () =>
  new DomainError('invalid', 'idempotency_key_reused', 'The Idempotency-Key was used with a different body');
