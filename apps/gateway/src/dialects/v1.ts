import { errorCodes, type DomainError, type ErrorCode, type LegacyOnlyCode } from '@posthorn/contracts';
import { RefusedMembers } from '../wire/errors.js';
import { statusOfKind, type Dialect, type ErrorContext } from './dialect.js';
import { ShapeNames } from './shape-names.js';
import { writeResource } from './write-resource.js';

const names = new ShapeNames({
  // A member that is named by a value keeps its name, such as the count of VALID.
  dialectName: (name) =>
    /^[A-Z]+$/.test(name) ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  aliases: () => [],
  shows: (field) => !field.legacyOnly,
  asText: (field) => field.v1JsonText === true,
  code: (code) => codeOf(code as ErrorCode),
});

export const v1: Dialect = {
  surface: 'v1',
  names,
  cursorParameter: 'after',
  hasPages: () => true,
  showsTotal: () => false,
  statusOf: { done: 200, created: 201, accepted: 202, queued: 202, deleted: 200, batch: 200 },
  statusOfPartialFailure: 207,
  resource: (shape, value) => writeResource(names, shape, value),
  bare: (shape, value) => writeResource(names, shape, value),
  deleted: (value) => ({ ...('id' in value ? { id: value.id } : { email: value.email }), deleted: true }),
  entries: (shape, items) => ({ data: items.map((item) => writeResource(names, shape, item)) }),
  page: (shape, { items, hasMore, erased, exactTotal }, next) => ({
    data: items.map((item) => writeResource(names, shape, item)),
    has_more: hasMore,
    next_cursor: next,
    ...(exactTotal === undefined ? {} : { total: exactTotal }),
    ...(erased === undefined ? {} : { erased_count: erased }),
  }),
  errorType: 'application/problem+json',
  error: problem,
};

export const titles: Readonly<Record<ErrorCode, string>> = {
  invalid_api_key: 'The API key is missing, malformed, unknown or revoked',
  invalid_session: 'The session is missing or has expired',
  scope_missing: 'The credential does not allow this operation',
  project_access_denied: 'The project does not exist or is not accessible',
  project_disabled: 'The project is disabled',
  validation_error: 'The request is not valid',
  resource_not_found: 'The resource does not exist',
  conflict: 'The request conflicts with the current state',
  rate_limited: 'Too many requests with this API key',
  quota_exhausted: 'The sending allowance is used up',
  idempotency_key_reused: 'The Idempotency-Key was used with a different body',
  enqueue_failed: 'The message could not be queued',
  internal_error: 'An unexpected error occurred',
};

/** The v1 registry is closed, so codes of the legacy surface map to one of its codes (docs/api-decisions.md §1). */
export const v1Codes: Readonly<Record<LegacyOnlyCode, ErrorCode>> = {
  scope_escalation: 'validation_error',
  key_revoked: 'validation_error',
  drafting_not_configured: 'internal_error',
  resubscribe_confirmation_required: 'conflict',
  recipient_suppressed: 'validation_error',
};

export const codeOf = (code: ErrorCode | LegacyOnlyCode): ErrorCode =>
  isPublic(code) ? code : v1Codes[code];

function problem(error: DomainError, { instance, requestId, shape, docsUrl }: ErrorContext): object {
  const code = codeOf(error.code);
  const { errors, previousStatus } = error.details;
  const failures =
    errors && shape && !(error instanceof RefusedMembers) ? names.failures(shape, errors) : errors;
  return {
    type: `${docsUrl}/errors#${code}`,
    title: titles[code],
    status: statusOfKind[error.kind],
    ...(error.message === titles[code] ? {} : { detail: error.message }),
    instance,
    code,
    request_id: requestId,
    ...(failures
      ? { errors: failures.map(({ path, ...failure }) => ({ pointer: pointerOf(path), ...failure })) }
      : {}),
    ...(previousStatus === undefined ? {} : { previous_status: previousStatus }),
  };
}

const pointerOf = (path: readonly string[]): string =>
  path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const isPublic = (code: ErrorCode | LegacyOnlyCode): code is ErrorCode =>
  (errorCodes as readonly string[]).includes(code);
