import { describe, expect, it } from '@jest/globals';
import { readSince } from './since.js';

const now = new Date('2026-02-10T12:00:00Z');

describe('since', () => {
  it.each([
    ['90s', '2026-02-10T11:58:30Z'],
    ['15m', '2026-02-10T11:45:00Z'],
    ['2h', '2026-02-10T10:00:00Z'],
    ['7d', '2026-02-03T12:00:00Z'],
    ['2026-01-31T09:00:00+01:00', '2026-01-31T08:00:00Z'],
  ])('%s is %s', (text, expected) => {
    expect(readSince(text, now)).toEqual(new Date(expected));
  });

  it.each(['', 'yesterday', '7', '7w', '-1h', '2026-02-30T00:00:00Z'])('%p is refused', (text) => {
    expect(() => readSince(text, now)).toThrow('One or more fields are invalid');
  });
});
