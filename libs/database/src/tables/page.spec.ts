import { describe, expect, it } from '@jest/globals';
import { instantOf, lowestIdOf, newId } from './ids.js';
import { idsBefore } from './page.js';

describe('a position in a list of several tables', () => {
  const at = new Date('2026-01-31T09:00:00.123Z');
  const [lowest, next] = [lowestIdOf(at.getTime()), lowestIdOf(at.getTime() + 1)];
  const within = lowest.replace('-0000-000000000000', '-8000-00000000000a');

  it('is its own id if that has the same instant', () => {
    expect(instantOf(within)).toEqual(at);
    expect(idsBefore({ at, id: within })).toBe(within);
  });

  it('is the start or the end of its instant if the id has another one', () => {
    expect(idsBefore({ at, id: lowestIdOf(0) })).toBe(lowest);
    expect(idsBefore({ at, id: lowestIdOf(at.getTime() + 9_000) })).toBe(next);
  });

  it('is after every id at the start of a list', () => {
    expect(newId() < idsBefore(undefined)).toBe(true);
  });
});
