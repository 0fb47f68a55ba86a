import type { ServiceName } from '@posthorn/contracts';
import { finding, type Finding } from '../../judging/finding.js';

export interface NodeStrike {
  kind: string;
  /** In which mail must be accepted, in monotonic milliseconds of the run. */
  from: number;
  to: number;
}

export interface StreamBooks {
  service: ServiceName;
  /** Rises whenever the outbox is published again; null before the first event. */
  generation: number | null;
  published: number;
  /** Of the messages in its stream. */
  ids: readonly string[];
}

export interface ClusterBooks {
  strikes: readonly NodeStrike[];
  before: readonly StreamBooks[];
  /** Once all is quiet after the strikes that left one server and the store of each. */
  afterLeaders: readonly StreamBooks[];
  accepted: readonly { id: string; to: string; at: number }[];
  unanswered: readonly string[];
  /** The recipients of all that came to the mail server. */
  sink: readonly string[];
}

const maxSilenceMs = 3_000;

export function judgeCluster(books: ClusterBooks): Finding[] {
  const { strikes, before, afterLeaders, accepted, unanswered, sink } = books;
  const copies = Map.groupBy(sink, (to) => to);
  const generations = new Map(before.map(({ service, generation }) => [service, generation]));
  return [
    finding(
      'G1 G4',
      'accepted, and not at the mail server exactly once; or never answered',
      accepted.length,
      [
        ...accepted.map(({ to }) => {
          const count = copies.get(to)?.length ?? 0;
          return count === 1 ? null : `${to} came ${count} times`;
        }),
        ...unanswered.map((to) => `${to} was never answered`),
      ],
    ),
    finding(
      'G22',
      'published again although nothing was lost',
      sum(afterLeaders.map(({ published }) => published)),
      afterLeaders.flatMap(({ service, generation, ids }) => [
        generation === (generations.get(service) ?? generation)
          ? null
          : `${service}: generation ${generation}, before ${generations.get(service)}`,
        again(ids) === 0 ? null : `${service}: ${again(ids)} events`,
      ]),
    ),
    finding(
      'G17',
      `nothing accepted for more than ${maxSilenceMs / 1_000} s around a strike`,
      strikes.length,
      silences(books).map(({ kind, ms }) => (ms > maxSilenceMs ? `${kind}: ${Math.round(ms)} ms` : null)),
    ),
  ];
}

/** The relay adds the id of the republication to that of the event. */
const again = (ids: readonly string[]): number => ids.filter((id) => id.includes(' ')).length;

const twice = (ids: readonly string[]): number => ids.length - new Set(ids).size;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

export const figuresOf = (books: ClusterBooks) => ({
  publishedAgain: sum(books.afterLeaders.map(({ ids }) => again(ids))),
  /** A server that was killed had stored it, and could not say so. */
  storedTwice: sum(books.afterLeaders.map(({ ids }) => twice(ids))),
  longestSilenceMs: Math.round(Math.max(...silences(books).map(({ ms }) => ms))),
});

export function linesOf(books: ClusterBooks): string[] {
  const silence = silences(books).map(({ kind, ms }) => `${kind} ${(ms / 1_000).toFixed(1)} s`);
  const rows = books.afterLeaders.map(({ service, published }) => `${service} ${published}`);
  return [
    `Longest time without an accepted mail: ${silence.join(' · ')}`,
    `Events before the stores were wiped: ${rows.join(' · ')}`,
    `Of these stored twice, because an acknowledgement was lost: ${figuresOf(books).storedTwice}`,
  ];
}

/** The longest time without an answer of 202 from each strike until all is back. */
function silences({ strikes, accepted }: ClusterBooks): { kind: string; ms: number }[] {
  const instants = accepted.map(({ at }) => at).toSorted((a, b) => a - b);
  return strikes.map(({ kind, from, to }) => {
    const within = [from, ...instants.filter((at) => at > from && at < to), to];
    return { kind, ms: Math.max(...within.slice(1).map((at, index) => at - within[index]!)) };
  });
}
