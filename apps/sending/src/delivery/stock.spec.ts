import { describe, expect, it } from '@jest/globals';
import { lanes, type Lane } from './delivery.entity.js';
import { Stock } from './stock.js';

const item = (projectId: string, place: number, lane: Lane = lanes.transactional) => ({ message: { projectId, lane }, place });
const filled = (...items: ReturnType<typeof item>[]) => {
  const stock = new Stock<ReturnType<typeof item>>();
  for (const each of items) stock.add(each);
  return stock;
};
const names = (taken: ReturnType<typeof item>[]) => taken.map(({ message, place }) => `${message.projectId}${place}`);

describe('the stock of built messages', () => {
  it('knows whose messages it has, by lane', () => {
    const stock = filled(item('a', 1), item('b', 1, lanes.bulk), item('a', 2));
    expect([stock.projectsIn(lanes.transactional), stock.projectsIn(lanes.bulk)]).toEqual([['a'], ['b']]);
    stock.take(2);
    expect(stock.projectsIn(lanes.transactional)).toEqual([]);
  });

  it('lets projects take turns, so that one that came last is not behind all of another', () => {
    const stock = filled(item('a', 1), item('a', 2), item('a', 3), item('b', 1));
    expect(names(stock.take(3))).toEqual(['a1', 'b1', 'a2']);
    expect(stock.size).toBe(1);
  });

  it('goes on with the turn where it stopped', () => {
    const stock = filled(item('a', 1), item('a', 2), item('b', 1), item('b', 2), item('c', 1));
    expect([names(stock.take(2)), names(stock.take(2)), names(stock.take(9))]).toEqual([['a1', 'b1'], ['c1', 'a2'], ['b2']]);
  });

  it('gives transactional mail before bulk', () => {
    const stock = filled(item('a', 1, lanes.bulk), item('a', 2), item('b', 1, lanes.bulk));
    expect(names(stock.take(3))).toEqual(['a2', 'a1', 'b1']);
  });

  it('keeps the order of what is put back', () => {
    const stock = filled(item('a', 1), item('a', 2), item('a', 3));
    stock.putBack(stock.take(2));
    expect([stock.size, names(stock.take(3))]).toEqual([3, ['a1', 'a2', 'a3']]);
  });
});
