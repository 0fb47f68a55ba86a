import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import type { SendFailure } from './outbox-relay.repository.js';

/** JSStreamMessageExceedsMaximumErr of nats-server. */
const messageTooLarge = 10_054;

/** Only errors about this very payload are final. */
export function failureKindOf(error: unknown): SendFailure['kind'] {
  if (error instanceof errors.InvalidArgumentError || error instanceof errors.InvalidSubjectError)
    return 'never';
  if (error instanceof JetStreamApiError) return error.code === messageTooLarge ? 'never' : 'refused';
  return 'away';
}
