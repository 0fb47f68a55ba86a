import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import {
  credentialOf,
  delegatedCredentialOf,
  type Credential,
  type Membership,
  type SessionUser,
} from './credential.js';
import { IdentitiesReadModel } from './identities.read-model.js';
import { PeopleSecret } from './people-secret.js';
import { sessionTokenOf } from './session-cookie.js';
import { IdentityCache } from './identity-cache.js';
import { hashOfToken } from './token-hash.js';

/** Credentials and memberships, at most one second old on every gateway. */
@Injectable()
export class Identities {
  private readonly keys: IdentityCache<Credential>;
  private readonly tokens: IdentityCache<Credential>;
  private readonly sessions: IdentityCache<SessionUser>;
  private readonly memberships: IdentityCache<Membership>;
  constructor(
    rows: IdentitiesReadModel,
    { sandboxDomain, databaseWaitMs }: GatewayConfig,
    private readonly secret: PeopleSecret,
  ) {
    this.keys = new IdentityCache(
      async (hashes) =>
        (await rows.keysByHashes(hashes)).map((row) => row && credentialOf(row, sandboxDomain)),
      databaseWaitMs,
    );
    this.tokens = new IdentityCache(
      async (hashes) => (await rows.tokensByHashes(hashes)).map((row) => row && delegatedCredentialOf(row)),
      databaseWaitMs,
    );
    this.sessions = new IdentityCache((hashes) => rows.sessionsByHashes(hashes), databaseWaitMs);
    this.memberships = new IdentityCache((pairs) => rows.memberships(pairs.map(pairOf)), databaseWaitMs);
  }

  key(hash: string): Credential | null | Promise<Credential | null> {
    return this.keys.resolve(hash);
  }

  delegated(hash: string): Credential | null | Promise<Credential | null> {
    return this.tokens.resolve(hash);
  }

  /** Whether this gateway has seen the credential before; only such credentials are checked for an address that is guessing. */
  wasKnown(hash: string): boolean {
    return this.keys.wasKnown(hash) || this.tokens.wasKnown(hash) || this.sessions.wasKnown(hash);
  }

  sessionToken(cookies: readonly string[]): string | null {
    return sessionTokenOf(cookies, this.secret.value);
  }

  session(cookies: readonly string[]): SessionUser | null | Promise<SessionUser | null> {
    const token = this.sessionToken(cookies);
    return token === null ? null : this.sessions.resolve(hashOfToken(token));
  }

  /** Both are UUIDs. Null also for a project that does not exist. */
  membership(userId: string, projectId: string): Membership | null | Promise<Membership | null> {
    return this.memberships.resolve(`${userId}/${projectId.toLowerCase()}`);
  }
}

function pairOf(lookupKey: string): { userId: string; projectId: string } {
  const [userId, projectId] = lookupKey.split('/') as [string, string];
  return { userId, projectId };
}
