import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '@posthorn/platform';
import { PeopleSecret } from '../../identity/people-secret.js';

/** What the library signs and seals with. */
@Injectable()
export class PeopleKeys {
  /** With it this process registers applications for the operator (RFC 7591 §3). */
  readonly registration = randomBytes(32).toString('base64url');

  constructor(
    readonly own: PeopleSecret,
    readonly secrets: Secrets,
  ) {}
}
