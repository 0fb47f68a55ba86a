import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { credentialOf, type Credential, type Membership, type SessionUser } from './credential.js';
import { IdentitiesReadModel } from './identities.read-model.js';
import { ShortMemory } from './short-memory.js';

/** Whom keys and sessions stand for, and who is a member of what: at most a second old on every gateway. */
@Injectable()
export class Identities {
  private readonly keys: ShortMemory<Credential>;
  private readonly sessions: ShortMemory<SessionUser>;
  private readonly memberships: ShortMemory<Membership>;

  constructor(rows: IdentitiesReadModel, { sandboxDomain }: GatewayConfig) {
    this.keys = new ShortMemory(async (hashes) => (await rows.keysByHashes(hashes)).map((row) => row && credentialOf(row, sandboxDomain)));
    this.sessions = new ShortMemory((hashes) => rows.sessionsByHashes(hashes));
    this.memberships = new ShortMemory((pairs) => rows.memberships(pairs.map(pairOf)));
  }

  /** An active key of this hash, with its project. */
  key(hash: string): Credential | null | Promise<Credential | null> {
    return this.keys.resolve(hash);
  }

  /** Whether this gateway has seen the key or session before: only then is it worth a question of somebody who guesses. */
  wasKnown(hash: string): boolean {
    return this.keys.wasKnown(hash) || this.sessions.wasKnown(hash);
  }

  /** A session of this hash that has not expired, with its user. */
  session(hash: string): SessionUser | null | Promise<SessionUser | null> {
    return this.sessions.resolve(hash);
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
