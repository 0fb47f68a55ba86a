import { describe, expect, it } from '@jest/globals';
import type { SinkLine } from '../judging/sink-ledger.js';
import { judgeNeighbours, type NeighboursEvidence } from './judge-neighbours.js';

const line = (id: string, to: string, receivedAt: number): SinkLine => ({
  ...{ messageId: `${id}@chaos.test`, from: '', to, mailParameters: '', tls: false, receivedAt },
  ...{ faults: [], digest: 'd' },
});
const [from, to] = [100_000, 200_000];
const everyMs = 100;
/** Ten a second all the time; every tenth is the victim's, a second after it was asked for. */
const sink = Array.from({ length: (to - from) / everyMs }, (_, index) =>
  line(`e${index}`, index % 10 === 0 ? `victim-${index}` : `flood-${index}`, from + index * everyMs),
);
const victim = sink
  .filter((each) => each.to.startsWith('victim'))
  .map((each) => ({ id: each.messageId.split('@')[0]!, to: each.to, askedAt: each.receivedAt - 1_000 }));
const good: NeighboursEvidence = {
  ...{ from, to, disabledAt: 50_000, sink, victim, ratePerSecond: 11, bulkCount: 0, waiting: 9 },
  ...{ claims: { before: 5, after: 5 }, owners: new Map(), answers: [], crashes: [] },
};
const broken = (change: Partial<NeighboursEvidence>) =>
  judgeNeighbours({ ...good, ...change })
    .filter((each) => each.broken.length > 0)
    .map(({ property }) => property);

describe('the judge of noisy neighbours', () => {
  it('holds where nobody was harmed', () => {
    expect(broken({})).toEqual([]);
  });

  it.each<[string, Partial<NeighboursEvidence>, string[]]>([
    [
      'mail of the victim that is late',
      { victim: victim.map((each) => ({ ...each, askedAt: each.askedAt - 3_000 })) },
      ['G14'],
    ],
    [
      'mail of the victim that never came',
      { victim: victim.map((each) => ({ ...each, id: 'gone' })) },
      ['G14'],
    ],
    ['a victim that could send nothing', { victim: [] }, ['G14']],
    ['bulk mail that does not move', { bulkCount: 3 }, ['G14 bulk']],
    ['a message that came three times', { sink: [...sink, sink[5]!, sink[5]!] }, ['G4']],
    [
      'mail of the disabled project that left',
      { sink: [...sink, line('x', 'disabled-1', to - 1)] },
      ['disabled'],
    ],
    ['claims of the disabled project', { claims: { before: 5, after: 6 } }, ['disabled']],
    ['a rate that is exceeded', { ratePerSecond: 8 }, ['G13']],
    ['a rate that is hardly used', { ratePerSecond: 14 }, ['G13 use']],
    ['a process that ended', { crashes: ['sending-1 ended by SIGABRT'] }, ['G18']],
  ])('finds %s', (_, change, properties) => {
    expect(broken(change)).toEqual(properties);
  });
});
