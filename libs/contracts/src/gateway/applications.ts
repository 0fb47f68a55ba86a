import { request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Flag, Line, Nullable, Text } from '../schema/fields.js';

/** A client of OAuth that the operator makes (RFC 6749 §2). */
export class RegisterApplication {
  @Line(1, 100) name: string;
  /** `https:` for a server; a loopback address or a scheme of its own on a device (RFC 8252 §7). */
  @Text(1, 2_000) redirectUri: string;
  /** On a device: it has no secret. */
  @Flag() isPublic: boolean;
}

export class RegisteredApplication {
  @Text(1, 100) clientId: string;
  /** Shown once; null for a public one. */
  @Text(1, 100) @Nullable() clientSecret: string | null;
}

export class ApplicationRef {
  @Text(1, 100) clientId: string;
}

export const applications = {
  register: request('gateway.applications.register', RegisterApplication, RegisteredApplication),
  /** Ends its secret, its grants and its tokens. */
  remove: request('gateway.applications.remove', ApplicationRef, ApplicationRef),
};

export const applicationNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'There is no such application');
export const applicationRefused = (why: string) =>
  new DomainError('malformed', 'validation_error', `The application cannot be registered: ${why}`);
