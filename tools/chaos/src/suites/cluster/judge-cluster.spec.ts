import { describe, expect, it } from '@jest/globals';
import { judgeCluster, type ClusterBooks } from './judge-cluster.js';

const books = (changed: Partial<ClusterBooks> = {}): ClusterBooks => ({
  strikes: [{ kind: 'node 0', from: 1_000, to: 9_000 }],
  before: [{ service: 'sending', generation: 1, published: 2, ids: ['a', 'b'] }],
  afterLeaders: [{ service: 'sending', generation: 1, published: 3, ids: ['a', 'b', 'c', 'c'] }],
  accepted: [1_500, 3_900, 6_500, 8_900].map((at) => ({ id: `${at}`, to: `${at}@sink.test`, at })),
  unanswered: [],
  sink: [1_500, 3_900, 6_500, 8_900].map((at) => `${at}@sink.test`),
  ...changed,
});
const broken = (changed: Partial<ClusterBooks>) =>
  judgeCluster(books(changed)).flatMap((each) => each.broken);

describe('the judge of the cluster', () => {
  it('finds nothing where nothing happened', () => {
    expect(broken({})).toEqual([]);
  });

  it('finds mail that is lost, repeated or not answered', () => {
    const sink = ['1500@sink.test', '1500@sink.test', '3900@sink.test', '6500@sink.test'];
    expect(broken({ sink, unanswered: ['x@sink.test'] })).toEqual([
      '1500@sink.test came 2 times',
      '8900@sink.test came 0 times',
      'x@sink.test was never answered',
    ]);
  });

  it('finds what was published again', () => {
    const again = { service: 'sending', generation: 2, published: 2, ids: ['a', 'b', 'a x', 'b x'] } as const;
    expect(broken({ afterLeaders: [again] })).toEqual([
      'sending: generation 2, before 1',
      'sending: 2 events',
    ]);
  });

  it('finds silence, also until the end', () => {
    const accepted = books().accepted.slice(0, 2);
    expect(broken({ accepted, sink: accepted.map(({ to }) => to) })).toEqual(['node 0: 5100 ms']);
  });
});
