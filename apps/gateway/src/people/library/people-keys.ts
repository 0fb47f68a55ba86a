import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '@posthorn/platform';
import { PeopleSecret } from '../../identity/people-secret.js';

@Injectable()
export class PeopleKeys {
  /** Authorizes registrations by the operator (RFC 7591 §3); valid in this process only. */
  readonly registration = randomBytes(32).toString('base64url');

  constructor(
    readonly own: PeopleSecret,
    readonly secrets: Secrets,
  ) {}
}
