import { columnsOf } from '@posthorn/database';
import { statusAfter, type Attempt } from './attempt.js';

export const attemptColumns = columnsOf<Attempt>([
  { column: 'id', type: 'uuid', value: ({ call }) => call.id },
  { column: 'attempts', type: 'int', value: ({ call }) => call.attempts },
  { column: 'status', type: 'text', value: ({ outcome }) => statusAfter(outcome) },
  {
    ...{ column: 'in_seconds', type: 'int' },
    value: ({ outcome }) => (outcome.kind === 'retry' ? outcome.inSeconds : null),
  },
  { column: 'response_status', type: 'int', value: ({ responseStatus }) => responseStatus },
  { column: 'response_body', type: 'text', value: ({ responseBody }) => responseBody },
  { column: 'error', type: 'text', value: ({ error }) => error },
  { column: 'duration_ms', type: 'int', value: ({ durationMs }) => durationMs },
]);

/** Of the call `c` after the attempt `a`; only where it is PENDING, and `c.attempts` is what it was. */
export const recordedColumns = `attempts = c.attempts + 1, retries = c.retries + 1, claims = 0, status = a.status,
  due_at = now() + a.in_seconds * interval '1 second', response_status = a.response_status, response_body = a.response_body,
  error = a.error, duration_ms = a.duration_ms, ended_at = CASE WHEN a.status <> 'PENDING' THEN now() END`;
