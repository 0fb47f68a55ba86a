import { describe, expect, it } from '@jest/globals';
import { intervalOf, winnerOf } from './winner.js';

const counts = (sent: number, opened: number, clicked = 0) => ({ recipients: sent, sent, opened, clicked });

describe('the winner', () => {
  it('has the best rate of the measure', () => {
    expect(winnerOf([counts(100, 20, 9), counts(100, 30, 2)], 'OPENS')).toEqual({
      variant: 1,
      decidedBy: 'OPENS',
    });
    expect(winnerOf([counts(100, 20, 9), counts(100, 30, 2)], 'CLICKS')).toEqual({
      variant: 0,
      decidedBy: 'CLICKS',
    });
  });

  it('is the first variant for a tie or too few messages', () => {
    expect(winnerOf([counts(100, 20), counts(50, 10)], 'OPENS')).toEqual({ variant: 0, decidedBy: 'FIRST' });
    expect(winnerOf([counts(100, 20), counts(9, 9)], 'OPENS')).toEqual({ variant: 0, decidedBy: 'FIRST' });
  });
});

describe('the interval of a rate', () => {
  it('is narrower for more messages', () => {
    expect(intervalOf(20, 100)).toEqual({ low: 13.3, high: 28.9 });
    expect(intervalOf(2_000, 10_000)).toEqual({ low: 19.2, high: 20.8 });
    expect(intervalOf(0, 0)).toEqual({ low: 0, high: 100 });
  });
});
