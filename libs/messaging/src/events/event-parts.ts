import type { WireEvent } from '../calls/frames.js';
import type { Inbox } from './inbox.repository.js';

/** What an item is about, such as the name under which it starts workflows. */
export interface Topic {
  projectId: string;
  topic: string;
}

/**
 * Who asks for what at this moment: a provider of a service whose subscribers declare topics. An event for whose topics nobody asks
 * is recorded as taken without a transaction (docs/decisions/0045-interest.md).
 */
export abstract class Interests {
  /** One statement for all topics. Whatever committed before the call is seen. */
  abstract among(topics: readonly Topic[]): Promise<readonly Topic[]>;
}

/** Of one subscriber in a batch. */
export interface EventPart {
  subscriber: { name: string; topicsOf: (event: WireEvent) => Topic[] | null; handle: Handle };
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
    const wanted = new Set(events.filter((event) => isAskedFor(subscriber.topicsOf(event))));
    const effect = async (fresh: WireEvent[]) => {
      const left = fresh.filter((event) => wanted.has(event));
      if (left.length > 0) await subscriber.handle(left);
    };
    return { subscriber: subscriber.name, events, effect, hasEffect: wanted.size > 0 };
  });
  if (groups.some(({ hasEffect }) => hasEffect)) await inbox.once(groups, limitMs);
  else await inbox.passOver(groups);
}

/** An event without topics is for its subscriber in any case. */
async function askedFor(
  parts: readonly EventPart[],
  interests: Interests | undefined,
): Promise<(topics: Topic[] | null) => boolean> {
  const topics = parts.flatMap(({ subscriber, events }) =>
    events.flatMap((event) => subscriber.topicsOf(event) ?? []),
  );
  if (topics.length === 0 || !interests) return (of) => of === null || !interests;
  const distinct = [...new Map(topics.map((each) => [keyOf(each), each])).values()];
  const asked = new Set((await interests.among(distinct)).map(keyOf));
  return (of) => of === null || of.some((each) => asked.has(keyOf(each)));
}

const keyOf = ({ projectId, topic }: Topic): string => `${projectId} ${topic}`;
