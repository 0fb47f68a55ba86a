import { request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Address, Flag, Id, Line, Nullable, Optional, Text } from '../schema/fields.js';

export class CreateUser {
  @Address() email: string;
  @Line(1, 100) @Optional() name?: string;
  @Text(10, 128) @Optional() password?: string;
  /** Skips the verification mail; the operator knows that the address belongs to the user. */
  @Flag() @Optional() verified?: boolean;
  @Id() @Optional() ownedProjectId?: string;
}

export class CreatedUser {
  @Id() id: string;
  @Address() email: string;
  @Line(1, 100) name: string;
  @Flag() verified: boolean;
  @Text(10, 128) @Nullable() password: string | null;
}

export class VerifyUser {
  @Address() email: string;
}

export class KnownUser {
  @Id() id: string;
  @Address() email: string;
  @Flag() verified: boolean;
}

export const users = {
  /** For installations whose mail does not reach the user. */
  verify: request('gateway.users.verify', VerifyUser, KnownUser),
  create: request('gateway.users.create', CreateUser, CreatedUser),
};

export const userNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No user has this address');
export const userExists = () =>
  new DomainError('conflict', 'conflict', 'A user with this address already exists');
