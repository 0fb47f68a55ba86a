import { describe, expect, it } from '@jest/globals';
import { lanes, type Lane } from '../delivery-states.js';
import { ReadyBuffer } from './ready-buffer.js';

const item = (projectId: string, index: number, lane: Lane = lanes.transactional) => ({
  message: { projectId, lane },
  index,
});
const filled = (...items: ReturnType<typeof item>[]) => {
  const buffer = new ReadyBuffer<ReturnType<typeof item>>();
  for (const each of items) buffer.add(each);
  return buffer;
};
const names = (taken: ReturnType<typeof item>[]) =>
  taken.map(({ message, index }) => `${message.projectId}${index}`);

describe('the buffer of composed messages', () => {
  it('knows the projects of its messages by lane', () => {
    const buffer = filled(item('a', 1), item('b', 1, lanes.bulk), item('a', 2));
    expect([buffer.projectsIn(lanes.transactional), buffer.projectsIn(lanes.bulk)]).toEqual([['a'], ['b']]);
    buffer.take(2);
    expect(buffer.projectsIn(lanes.transactional)).toEqual([]);
  });

  it('lets projects take turns, so that one message does not wait behind a whole batch of another project', () => {
    const buffer = filled(item('a', 1), item('a', 2), item('a', 3), item('b', 1));
    expect(names(buffer.take(3))).toEqual(['a1', 'b1', 'a2']);
    expect(buffer.size).toBe(1);
  });

  it('continues the turns where they stopped', () => {
    const buffer = filled(item('a', 1), item('a', 2), item('b', 1), item('b', 2), item('c', 1));
    expect([names(buffer.take(2)), names(buffer.take(2)), names(buffer.take(9))]).toEqual([
      ['a1', 'b1'],
      ['c1', 'a2'],
      ['b2'],
    ]);
  });

  it('returns transactional mail before bulk', () => {
    const buffer = filled(item('a', 1, lanes.bulk), item('a', 2), item('b', 1, lanes.bulk));
    expect(names(buffer.take(3))).toEqual(['a2', 'a1', 'b1']);
  });

  it('takes every tenth message from bulk while transactional mail floods', () => {
    const buffer = filled(
      ...Array.from({ length: 30 }, (_, index) => item('flood', index)),
      ...Array.from({ length: 3 }, (_, index) => item('news', index, lanes.bulk)),
    );
    const lanesTaken = [...buffer.take(7), ...buffer.take(13), ...buffer.take(13)].map(
      ({ message }) => message.lane,
    );
    expect(lanesTaken.flatMap((lane, index) => (lane === lanes.bulk ? [index] : []))).toEqual([9, 19, 29]);
    expect([buffer.size, buffer.countIn(lanes.bulk)]).toEqual([0, 0]);
  });

  it('keeps the order of messages that are put back', () => {
    const buffer = filled(item('a', 1), item('a', 2), item('a', 3));
    buffer.putBack(buffer.take(2));
    expect([buffer.size, names(buffer.take(3))]).toEqual([3, ['a1', 'a2', 'a3']]);
  });
});
