/** Who asks. `none` is a caller without a credential, on the few routes that need none. */
export const actorKinds = ['USER', 'KEY', 'TOKEN', 'OPERATOR', 'SERVICE'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** Travels with every call: whose project, on whose behalf, and from where. */
export interface Caller {
  projectId: string;
  actor: { kind: ActorKind; id: string; name?: string };
  /** The client's address, for consent records and the audit log. */
  address?: string;
  /** What the client calls itself (`User-Agent`), for consent records; cut to 512 characters. */
  userAgent?: string;
  /** The API key's mode; absent for callers that are no key. */
  mode?: 'LIVE' | 'TEST';
  /** By a key that stands in a page, where everybody can read it. */
  isPublic?: true;
  /** What a TEST key is kept to: its one sender, and the owners' verified addresses. */
  sandbox?: { address: string; recipients: readonly string[] };
  /** The access token that a delegated caller shows; its grant is the actor. */
  tokenId?: string;
  /** Confines `from` to one domain (docs/api-decisions.md §2). */
  domainId?: string;
}

/**
 * From where somebody acted for the project, as events and the audit log tell it. The address of whoever stands before a page with a public key, or opened a link, is
 * a visitor's own: it is proof of their consent, is forgotten with it, and is told to nobody else.
 */
export const publishedAddressOf = ({ actor, address, isPublic }: Caller): string | null =>
  isPublic || actor.kind === 'SERVICE' ? null : (address ?? null);

export const serviceCaller = (service: string, projectId: string): Caller => ({
  projectId,
  actor: { kind: 'SERVICE', id: service },
});

/** In place of a project, where the caller stands above them. */
export const aboveProjects = '00000000-0000-0000-0000-000000000000';
