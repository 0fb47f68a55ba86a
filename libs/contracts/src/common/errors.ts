import type { FailureCode } from '../schema/field-check.js';

/** How a request failed, independent of HTTP: only the gateway knows status codes and dialects. */
export type ErrorKind =
  | 'malformed'
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'wrong_method'
  | 'gone'
  | 'conflict'
  | 'too_large'
  | 'wrong_media_type'
  | 'rate_limited'
  | 'unavailable' // nothing was done, or a repetition does nothing more: safe to repeat
  | 'timeout' // as unavailable, after a deadline
  | 'internal';

export const errorCodes = [
  'invalid_api_key',
  'invalid_session',
  'scope_missing',
  'project_access_denied',
  'project_disabled',
  'validation_error',
  'resource_not_found',
  'conflict',
  'rate_limited',
  'quota_exhausted',
  'idempotency_key_reused',
  'enqueue_failed',
  'internal_error',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Codes that exist on the legacy surface only (docs/api-decisions.md §1). */
export const legacyOnlyCodes = [
  'scope_escalation',
  'key_revoked',
  'drafting_not_configured',
  'resubscribe_confirmation_required',
  'recipient_suppressed',
] as const;
export type LegacyOnlyCode = (typeof legacyOnlyCodes)[number];

/** One refused member; `path` holds JSON Pointer tokens in the contract's names. */
export interface InvalidMember {
  path: string[];
  code: FailureCode;
  message: string;
}

export interface ErrorDetails {
  errors?: InvalidMember[];
  previousStatus?: string;
  retryAfterSeconds?: number;
  limit?: number;
  allow?: string[];
}

export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly code: ErrorCode | LegacyOnlyCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
    this.name = 'DomainError';
  }
}

export const invalid = (errors: InvalidMember[], message = 'One or more fields are invalid') =>
  new DomainError('invalid', 'validation_error', message, { errors });

export const invalidMember = (path: string[], code: FailureCode, message: string) =>
  invalid([{ path, code, message }]);

/** Nothing was done, so the caller may repeat the request. */
export const unavailable = (message = 'The service is temporarily unavailable') =>
  new DomainError('unavailable', 'internal_error', message, { retryAfterSeconds: 1 });

export const inSeconds = (seconds: number): string => {
  const whole = Math.max(1, Math.ceil(seconds));
  return whole === 1 ? 'in 1 second' : `in ${whole} seconds`;
};

/** It may have taken effect; only a repeat with the same key is safe (docs/api-decisions.md §1). */
export const outcomeUnknown = () =>
  new DomainError(
    'internal',
    'internal_error',
    'The outcome is unknown; repeat the request with the same Idempotency-Key',
  );

export function assertUnreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
