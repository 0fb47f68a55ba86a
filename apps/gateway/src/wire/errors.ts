import { DomainError, inSeconds, type InvalidMember } from '@posthorn/contracts';

/** Validation errors whose paths already use the names of the request's dialect. */
export class RefusedMembers extends DomainError {
  constructor(errors: InvalidMember[]) {
    super('invalid', 'validation_error', 'One or more fields are invalid', { errors });
    this.name = 'RefusedMembers';
  }
}

export const noCredential = () =>
  new DomainError(
    'unauthenticated',
    'invalid_api_key',
    'The API key is missing, malformed, unknown or revoked',
  );
export const noSession = () =>
  new DomainError('unauthenticated', 'invalid_session', 'This operation needs a signed-in session');
export const foreignProject = () =>
  new DomainError(
    'forbidden',
    'project_access_denied',
    'The project does not exist, or the credential is not of it',
  );
export const untrustedOrigin = () =>
  new DomainError(
    'forbidden',
    'scope_missing',
    'A session may change something only from a page of a trusted origin',
  );
export const notForPublicKeys = () =>
  new DomainError('forbidden', 'scope_missing', 'A public key may not call this operation');
export const notInConfinedOrigin = () =>
  new DomainError(
    'forbidden',
    'scope_missing',
    'This key works only in pages of the origins that it is confined to; the request has another Origin header, or none',
  );
export const onlySubscribes = () =>
  new DomainError(
    'forbidden',
    'scope_missing',
    'This key may only subscribe addresses to lists and unsubscribe them',
  );
export const notForRole = () =>
  new DomainError(
    'forbidden',
    'scope_missing',
    'The person’s role in the project does not allow this operation',
  );
export const scopeMissing = (scope: string) =>
  new DomainError('forbidden', 'scope_missing', `The credential lacks the scope ${scope}`);
export const projectDisabled = () =>
  new DomainError('forbidden', 'project_disabled', 'The project is disabled');
export const rateLimited = (isPerson: boolean, perSecond: number, retryAfterSeconds: number) =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `${isPerson ? 'A signed-in user' : 'This API key'} may make ${perSecond} requests per second; try again ${inSeconds(retryAfterSeconds)}`,
    { retryAfterSeconds },
  );
export const tooManyAttempts = (retryAfterSeconds: number, perMinute: number) =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `An address may make ${perMinute} requests with invalid credentials per minute; try again ${inSeconds(retryAfterSeconds)}`,
    { retryAfterSeconds, limit: perMinute },
  );

export const unknownRoute = () => new DomainError('not_found', 'resource_not_found', 'No such route');
export const wrongMethod = (allow: string[]) =>
  new DomainError('wrong_method', 'resource_not_found', 'The resource does not know this method', { allow });

export const tooLarge = (limit: number) =>
  new DomainError('too_large', 'validation_error', `The body is larger than ${limit} bytes`);
export const wrongMediaType = () =>
  new DomainError('wrong_media_type', 'validation_error', 'The body must be application/json in UTF-8');
export const wrongEncoding = () =>
  new DomainError(
    'wrong_media_type',
    'validation_error',
    'The body may be packed by gzip, and not otherwise',
  );
export const notGzip = () => new DomainError('malformed', 'validation_error', 'The body is not valid gzip');
export const unpacksTooFar = (ratio: number) =>
  new DomainError('too_large', 'validation_error', `The body unpacks to more than ${ratio} times its size`);
export const malformedForm = (reason: string) =>
  new DomainError('malformed', 'validation_error', `The form ${reason}`);
export const notJson = () => new DomainError('malformed', 'validation_error', 'The body is not valid JSON');
export const notUtf8 = () => new DomainError('malformed', 'validation_error', 'The body is not valid UTF-8');
export const duplicateMember = () =>
  new DomainError('malformed', 'validation_error', 'The body names a member of one object twice');
export const bodyMissing = () => refuse('A body is required');
export const notAnObject = () => refuse('The body must be a JSON object');

export const idempotencyKeyLength = () => refuse('Idempotency-Key must be one header of 1 to 255 characters');

export const malformedCursor = () => refuse('the cursor is malformed');
export const cursorOfAnotherSort = () => refuse('the cursor was issued for a different sort order');
export const cursorOfOtherFilters = () => refuse('the cursor was issued for a different set of filters');

export const unexpected = () => new DomainError('internal', 'internal_error', 'An unexpected error occurred');

function refuse(message: string): DomainError {
  return new DomainError('invalid', 'validation_error', message);
}
