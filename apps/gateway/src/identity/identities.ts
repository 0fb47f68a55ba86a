import { Injectable } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
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
import { hashOfToken } from './tokens.js';
import { within } from '../wire/deadline.js';

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

/** Changes of identity take effect on every gateway within a second (docs/api-decisions.md §2), counted from the start of the query. */
const maxAgeMs = 950;
/** Entries still in use are refreshed in the background, in batches. */
const renewAfterMs = 600;
const renewalLingerMs = 100;
const maxItems = 256;
const maxKnown = 10_000;
// Guessed tokens must not evict valid ones.
const maxUnknown = 2_000;

interface Entry<Answer> {
  answer: Answer | null;
  requestedAt: number;
}

interface PendingLoad<Answer> {
  answer: Promise<Answer | null>;
  requestedAt: number;
}

/** Caches lookups for less than a second and batches concurrent ones. If the database fails, so does the lookup. */
export class IdentityCache<Answer> {
  private readonly known = new Map<string, Entry<Answer>>();
  private readonly unknown = new Map<string, Entry<Answer>>();
  private readonly requesting = new Map<string, PendingLoad<Answer>>();
  private readonly lookups: Gatherer<string, Answer | null>;
  private readonly renewals: Gatherer<string, Answer | null>;

  constructor(
    load: (lookups: string[]) => Promise<(Answer | null)[]>,
    private readonly waitMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    const flush = (lookups: string[]) => within(waitMs, load(lookups));
    this.lookups = new Gatherer({ flush, maxItems });
    this.renewals = new Gatherer({ flush, maxItems, lingerMs: renewalLingerMs });
  }

  resolve(lookupKey: string): Answer | null | Promise<Answer | null> {
    const entry = this.known.get(lookupKey) ?? this.unknown.get(lookupKey);
    const ageMs = this.ageOf(entry);
    if (!entry || ageMs >= maxAgeMs)
      return this.ongoingLookup(lookupKey) ?? this.load(lookupKey, this.lookups);
    if (ageMs >= renewAfterMs && entry.answer && !this.ongoingLookup(lookupKey)) this.renew(lookupKey, ageMs);
    return entry.answer;
  }

  wasKnown(lookupKey: string): boolean {
    return this.known.has(lookupKey);
  }

  private ageOf(requested: { requestedAt: number } | undefined): number {
    return requested ? this.now() - requested.requestedAt : Infinity;
  }

  private ongoingLookup(lookupKey: string): Promise<Answer | null> | null {
    const requesting = this.requesting.get(lookupKey);
    return this.ageOf(requesting) < maxAgeMs ? requesting!.answer : null;
  }

  /** A failed refresh is ignored: the next lookup after expiry reports it. */
  private renew(lookupKey: string, ageMs: number): void {
    const mayWait = ageMs < maxAgeMs - 2 * renewalLingerMs;
    this.load(lookupKey, mayWait ? this.renewals : this.lookups).catch(() => undefined);
  }

  private load(lookupKey: string, gatherer: Gatherer<string, Answer | null>): Promise<Answer | null> {
    const requestedAt = this.now();
    const requesting: PendingLoad<Answer> = {
      requestedAt,
      answer: this.answered(lookupKey, requestedAt, gatherer),
    };
    this.requesting.set(lookupKey, requesting);
    return requesting.answer.finally(() => {
      if (this.requesting.get(lookupKey) === requesting) this.requesting.delete(lookupKey);
    });
  }

  private async answered(
    lookupKey: string,
    requestedAt: number,
    gatherer: Gatherer<string, Answer | null>,
  ): Promise<Answer | null> {
    // Waiting in the queue counts towards the timeout.
    const answer = await within(this.waitMs, gatherer.submit(lookupKey));
    this.remember(lookupKey, { answer, requestedAt });
    return answer;
  }

  private remember(lookupKey: string, entry: Entry<Answer>): void {
    const there = this.known.get(lookupKey) ?? this.unknown.get(lookupKey);
    if (there && there.requestedAt > entry.requestedAt) return;
    this.known.delete(lookupKey);
    this.unknown.delete(lookupKey);
    const [map, most] = entry.answer ? [this.known, maxKnown] : [this.unknown, maxUnknown];
    map.set(lookupKey, entry);
    if (map.size > most) map.delete(map.keys().next().value!);
  }
}
