import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { credentialOf, delegatedCredentialOf, type Credential, type Membership, type SessionUser } from './credential.js';
import { IdentitiesReadModel } from './identities.read-model.js';
import { PeopleSecret } from './people-secret.js';
import { sessionTokenOf } from './session-cookie.js';
import { ShortMemory } from './short-memory.js';
import { hashOfToken } from './token-hash.js';

/** Whom keys, tokens and sessions stand for, and who is a member of what: at most a second old on every gateway. */
@Injectable()
export class Identities {
  private readonly keys: ShortMemory<Credential>;
  private readonly tokens: ShortMemory<Credential>;
  private readonly sessions: ShortMemory<SessionUser>;
  private readonly memberships: ShortMemory<Membership>;
  constructor(
    rows: IdentitiesReadModel,
    { sandboxDomain }: GatewayConfig,
    private readonly secret: PeopleSecret,
  ) {
    this.keys = new ShortMemory(async (hashes) => (await rows.keysByHashes(hashes)).map((row) => row && credentialOf(row, sandboxDomain)));
    this.tokens = new ShortMemory(async (hashes) => (await rows.tokensByHashes(hashes)).map((row) => row && delegatedCredentialOf(row)));
    this.sessions = new ShortMemory((hashes) => rows.sessionsByHashes(hashes));
    this.memberships = new ShortMemory((pairs) => rows.memberships(pairs.map(pairOf)));
  }

  /** An active key of this hash, with its project. */
  key(hash: string): Credential | null | Promise<Credential | null> {
    return this.keys.resolve(hash);
  }

  /** A delegated token of this hash that is in force, with its project. */
  delegated(hash: string): Credential | null | Promise<Credential | null> {
    return this.tokens.resolve(hash);
  }

  /** Whether this gateway has seen the key, token or session before: only then is it worth a question of somebody who guesses. */
  wasKnown(hash: string): boolean {
    return this.keys.wasKnown(hash) || this.tokens.wasKnown(hash) || this.sessions.wasKnown(hash);
  }

  /** The token of the session cookie, where there is one of ours. */
  sessionToken(cookies: readonly string[]): string | null {
    return sessionTokenOf(cookies, this.secret.value);
  }

  /** The session of the cookie, if it has not expired, with its user. */
  session(cookies: readonly string[]): SessionUser | null | Promise<SessionUser | null> {
    const token = this.sessionToken(cookies);
    return token === null ? null : this.sessions.resolve(hashOfToken(token));
  }

  /** Both are UUIDs. Null alike for a project that does not exist. */
  membership(userId: string, projectId: string): Membership | null | Promise<Membership | null> {
    return this.memberships.resolve(`${userId}/${projectId.toLowerCase()}`);
  }
}

function pairOf(question: string): { userId: string; projectId: string } {
  const [userId, projectId] = question.split('/') as [string, string];
  return { userId, projectId };
}
