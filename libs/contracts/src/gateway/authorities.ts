import { query } from '../schema/contract.js';
import { actorKinds, type ActorKind } from '../common/caller.js';
import { scopes, type Scope } from '../common/scopes.js';
import {
  Address,
  Addresses,
  Choice,
  Flag,
  Id,
  ListOf,
  Nested,
  Nullable,
  Text,
  Texts,
} from '../schema/fields.js';

const maxAuthorities = 256;

/** Somebody whose rights are used later than at his own request: of a key, a user, or the grant of an application. */
export class Authority {
  @Choice(actorKinds) kind: ActorKind;
  @Text(1, 200) id: string;
}

export class GetStandings {
  @ListOf(() => Authority, 1, maxAuthorities) authorities: Authority[];
}

export class SandboxLimits {
  @Address() address: string;
  @Addresses(0, 10_000) recipients: string[];
}

/** What an authority may do in the project now. */
export class Standing {
  /** False for a revoked key, a removed member, an ended grant. */
  @Flag() isValid: boolean;
  @Texts(0, scopes.length, 64) scopes: Scope[];
  @Choice(['LIVE', 'TEST']) mode: 'LIVE' | 'TEST';
  @Nested(() => SandboxLimits) @Nullable() sandbox: SandboxLimits | null;
  @Id() @Nullable() domainId: string | null;
}

export class Standings {
  /** Of the project. */
  @Flag() disabled: boolean;
  /** In the order of the request. */
  @ListOf(() => Standing, 1, maxAuthorities) items: Standing[];
}

export const authorities = {
  standings: query('gateway.authorities.standings', GetStandings, Standings),
};
