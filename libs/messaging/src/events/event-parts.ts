import type { WireEvent } from '../calls/frames.js';
import type { Inbox } from './inbox.repository.js';

/** What somebody may ask for about an item, such as the name under which it starts workflows. */
export interface Interest {
  projectId: string;
  key: string;
}

/**
 * Who asks for what at this moment: a provider of a service whose subscribers declare interests. An event for whose interests nobody asks
 * is recorded as taken without a transaction (docs/decisions/0045-interest.md).
 */
export abstract class Interests {
  /** One statement for all interests. Whatever committed before the call is seen. */
  abstract among(interests: readonly Interest[]): Promise<readonly Interest[]>;
}

/** Of one subscriber in a batch. */
export interface EventPart {
  subscriber: { name: string; interestsOf: (event: WireEvent) => Interest[] | null; handle: Handle };
  events: WireEvent[];
}

type Handle = (events: WireEvent[]) => Promise<void>;

interface Taking {
  inbox: Inbox;
  interests?: Interests | undefined;
  limitMs: number;
}

/** Inbox rows and effects of all parts, at once. */
export async function takeParts(
  parts: readonly EventPart[],
  { inbox, interests, limitMs }: Taking,
): Promise<void> {
  if (parts.length === 0) return;
  const isAskedFor = await askedFor(parts, interests);
  const groups = parts.map(({ subscriber, events }) => {
    const wanted = new Set(events.filter((event) => isAskedFor(subscriber.interestsOf(event))));
    const effect = async (fresh: WireEvent[]) => {
      const left = fresh.filter((event) => wanted.has(event));
      if (left.length > 0) await subscriber.handle(left);
    };
    return { subscriber: subscriber.name, events, effect, hasEffect: wanted.size > 0 };
  });
  if (groups.some(({ hasEffect }) => hasEffect)) await inbox.once(groups, limitMs);
  else await inbox.passOver(groups);
}

/** An event without interests is for its subscriber in any case. */
async function askedFor(
  parts: readonly EventPart[],
  interests: Interests | undefined,
): Promise<(of: Interest[] | null) => boolean> {
  const declared = parts.flatMap(({ subscriber, events }) =>
    events.flatMap((event) => subscriber.interestsOf(event) ?? []),
  );
  if (declared.length === 0 || !interests) return (of) => of === null || !interests;
  const distinct = [...new Map(declared.map((each) => [textOf(each), each])).values()];
  const asked = new Set((await interests.among(distinct)).map(textOf));
  return (of) => of === null || of.some((each) => asked.has(textOf(each)));
}

const textOf = ({ projectId, key }: Interest): string => `${projectId} ${key}`;
