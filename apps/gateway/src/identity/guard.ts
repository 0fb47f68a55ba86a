import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { hashOfToken, isWellFormedToken } from '../api-keys/api-key-token.js';
import { noCredential, notForPublicKeys, projectDisabled, scopeMissing } from '../edge/edge-errors.js';
import { headerValues } from '../edge/header-values.js';
import type { Route } from '../edge/route-table.js';
import { callersOf } from '../edge/route.js';
import { CredentialCache } from './credential-cache.js';
import type { Credential } from './credential.js';
import { KeyUsage } from './key-usage.js';

const maxAuthorization = 8 * 1024;
const bearer = /^Bearer +([A-Za-z0-9_]+) *$/i;

/** Key, then project, then scope: what a route declares is what is asked. */
@Injectable()
export class Guard {
  constructor(
    private readonly cache: CredentialCache,
    private readonly usage: KeyUsage,
  ) {}

  async admit(route: Route, request: IncomingMessage): Promise<Credential> {
    const token = tokenOf(request);
    const credential = token === null ? null : await this.cache.resolve(hashOfToken(token));
    if (!credential) throw noCredential();
    const { scope, whileDisabled } = route.declaration;
    if (credential.projectDisabled && route.method !== 'GET' && !whileDisabled) throw projectDisabled();
    if (credential.isPublic && !callersOf(route.declaration).includes('PUBLIC')) throw notForPublicKeys();
    if (!credential.scopes.has(scope)) throw scopeMissing(scope);
    this.usage.touch(credential);
    return credential;
  }
}

/** The one Bearer token of a request, if it can be one: two headers, another scheme or a typo are none. */
export function tokenOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | null {
  const values = headerValues(rawHeaders, 'authorization');
  const [value = ''] = values;
  if (values.length !== 1 || value.length > maxAuthorization) return null;
  const token = bearer.exec(value)?.[1] ?? '';
  return isWellFormedToken(token) ? token : null;
}
