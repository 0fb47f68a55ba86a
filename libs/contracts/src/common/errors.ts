import type { FailureCode } from '../schema/field-check.js';

/** How a request failed, in the domain's words; status codes and dialects are the gateway's. */
export type ErrorKind =
  | 'malformed' // the body cannot be read at all
  | 'invalid' // it can, and breaks a rule
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'wrong_method'
  | 'gone'
  | 'conflict'
  | 'too_large'
  | 'wrong_media_type'
  | 'rate_limited'
  | 'unavailable' // nothing happened, and nothing will: repeat
  | 'timeout' // as unavailable, but a deadline passed first
  | 'internal';

/** The complete public registry of codes (the API specification, Errors). */
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

/** Codes that only the legacy surface tells apart (docs/api-decisions.md §1). */
export const legacyOnlyCodes = [
  'scope_escalation',
  'key_revoked',
  'drafting_not_configured',
  'resubscribe_confirmation_required',
  'recipient_suppressed',
] as const;
export type LegacyOnlyCode = (typeof legacyOnlyCodes)[number];

/** One refused member: `path` holds the JSON Pointer tokens, in the domain's names. */
export interface InvalidMember {
  path: string[];
  code: FailureCode;
  message: string;
}

export interface ErrorDetails {
  errors?: InvalidMember[];
  previousStatus?: string;
  retryAfterSeconds?: number;
  /** Of what there were too many. */
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

/** Nothing was done and nothing will be: the caller may repeat. */
export const unavailable = (message = 'The service cannot answer right now') =>
  new DomainError('unavailable', 'internal_error', message, { retryAfterSeconds: 1 });

/** The request may have taken effect: only a repeat with the same idempotency key is safe (docs/api-decisions.md §1). */
export const outcomeUnknown = () =>
  new DomainError('internal', 'internal_error', 'outcome unknown; repeat with the same Idempotency-Key');

export function assertUnreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
