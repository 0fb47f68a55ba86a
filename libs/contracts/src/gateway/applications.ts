import { request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Flag, Line, Nullable, Text } from '../schema/fields.js';

/** An OAuth client registered by the operator (RFC 6749 §2). */
export class RegisterApplication {
  @Line(1, 100) name: string;
  /** `https:` for a server; a loopback address or a private-use scheme on a device (RFC 8252 §7). */
  @Text(1, 2_000) redirectUri: string;
  /** A client on a device has no secret. */
  @Flag() isPublic: boolean;
}

export class RegisteredApplication {
  @Text(1, 100) clientId: string;
  @Text(1, 100) @Nullable() clientSecret: string | null;
}

export class ApplicationRef {
  @Text(1, 100) clientId: string;
}

export const applications = {
  register: request('gateway.applications.register', RegisterApplication, RegisteredApplication),
  /** Revokes its secret, grants and tokens. */
  remove: request('gateway.applications.remove', ApplicationRef, ApplicationRef),
};

export const applicationNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such application');
export const applicationRefused = (why: string) =>
  new DomainError('malformed', 'validation_error', `The application cannot be registered: ${why}`);
