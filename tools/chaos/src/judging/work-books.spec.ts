import { describe, expect, it } from '@jest/globals';
import { judgeWork, workLine, type WorkCount, type WorkLeft } from './work-books.js';

const count = (change: Partial<WorkCount>): WorkCount => ({
  kind: 'contacts.imports',
  state: 'WAITING',
  items: 2,
  overdue: 0,
  ...change,
});

const left = (...counts: WorkCount[]): WorkLeft => ({ queues: ['contacts'], counts });

describe('the judge of work', () => {
  it('lets pass what waits for its time or is paused', () => {
    expect(judgeWork(left(count({}), count({ state: 'PAUSED' }), count({ state: 'READY' })))).toMatchObject({
      looked: 1,
      broken: [],
    });
  });

  it.each([
    [count({ state: 'CLAIMED' }), '2 of contacts.imports are CLAIMED'],
    [count({ state: 'SUSPECT' }), '2 of contacts.imports are SUSPECT'],
    [count({ state: 'DEAD' }), '2 of contacts.imports are DEAD'],
    [count({ overdue: 1 }), '1 of contacts.imports are overdue'],
  ])('finds %j', (counted, broken) => {
    expect(judgeWork(left(counted)).broken).toEqual([broken]);
  });

  it('writes down what is left', () => {
    expect(workLine(left(count({})))).toBe('contacts.imports WAITING 2');
    expect(workLine(left())).toBe('none');
  });
});
