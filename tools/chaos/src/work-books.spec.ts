import { describe, expect, it } from '@jest/globals';
import { judgeWork, workLine, type WorkCount } from './work-books.js';

const count = (change: Partial<WorkCount>): WorkCount => ({
  service: 'contacts',
  kind: 'contacts.imports',
  state: 'WAITING',
  items: 2,
  overdue: 0,
  ...change,
});

describe('the judge of work', () => {
  it('lets pass what waits for its time or is paused', () => {
    expect(judgeWork([count({}), count({ state: 'PAUSED' }), count({ state: 'READY' })])).toMatchObject({ looked: 6, broken: [] });
  });

  it.each([
    [count({ state: 'CLAIMED' }), '2 of contacts.imports are CLAIMED'],
    [count({ state: 'SUSPECT' }), '2 of contacts.imports are SUSPECT'],
    [count({ state: 'DEAD' }), '2 of contacts.imports are DEAD'],
    [count({ overdue: 1 }), '1 of contacts.imports are overdue'],
  ])('finds %j', (left, broken) => {
    expect(judgeWork([left]).broken).toEqual([broken]);
  });

  it('writes down what is left', () => {
    expect(workLine([count({})])).toBe('contacts.imports WAITING 2');
    expect(workLine([])).toBe('none');
  });
});
