export const actorKinds = ['USER', 'KEY', 'TOKEN', 'OPERATOR', 'SERVICE'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** Sent with every call: the project, who acts in it, and from where. */
export interface Caller {
  projectId: string;
  actor: { kind: ActorKind; id: string; name?: string };
  ipAddress?: string;
  /** The client's `User-Agent`, for consent records; cut to 512 characters. */
  userAgent?: string;
  mode?: 'LIVE' | 'TEST';
  /** Set for a key that is published in a web page. */
  isPublic?: true;
  /** Limits of a TEST key: its only sender, and the owners' verified addresses. */
  sandbox?: { address: string; recipients: readonly string[] };
  /** The access token of a delegated caller; the actor is its grant. */
  tokenId?: string;
  /** Restricts `from` to one domain (docs/api-decisions.md §2). */
  domainId?: string;
  /** What the services enforce of a confined public key (docs/decisions/0023). */
  confine?: {
    templateIds?: readonly string[];
    /** The key may send to subscribed contacts only, and subscribe nobody. */
    onlyContacts?: true;
    subscribeOnly?: true;
  };
}

/** A visitor's address is proof of consent only: not published, and erased with the consent. */
export const publishedIpAddressOf = ({ actor, ipAddress, isPublic }: Caller): string | null =>
  isPublic || actor.kind === 'SERVICE' ? null : (ipAddress ?? null);

export const serviceCaller = (service: string, projectId: string): Caller => ({
  projectId,
  actor: { kind: 'SERVICE', id: service },
});

/** Stands for the project when the caller acts on the whole installation. */
export const noProject = '00000000-0000-0000-0000-000000000000';
