import { request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { Address, Flag, Id, Line, Nullable, Optional, Text } from '../schema/fields.js';

/** A person that the operator makes, such as the first one of an installation. */
export class CreateUser {
  @Address() email: string;
  @Line(1, 100) @Optional() name?: string;
  /** Without one, one is made. */
  @Text(10, 128) @Optional() password?: string;
  /** The operator knows that the address is theirs: no mail asks. */
  @Flag() @Optional() verified?: boolean;
  /** A project that the person owns from the start. */
  @Id() @Optional() ownedProjectId?: string;
}

export class CreatedUser {
  @Id() id: string;
  @Address() email: string;
  @Line(1, 100) name: string;
  @Flag() verified: boolean;
  /** The one that was made; shown once. */
  @Text(10, 128) @Nullable() password: string | null;
}

export class VerifyUser {
  @Address() email: string;
}

/** A person as the operator sees one. */
export class KnownUser {
  @Id() id: string;
  @Address() email: string;
  @Flag() verified: boolean;
}

export const users = {
  /** The operator knows that the address is theirs, as where no mail reaches them. */
  verify: request('gateway.users.verify', VerifyUser, KnownUser),
  create: request('gateway.users.create', CreateUser, CreatedUser),
};

export const userNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'There is no user with this address');
export const userExists = () =>
  new DomainError('conflict', 'conflict', 'There is a user with this address already');
