import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

const known = ['subject', 'to', 'from', 'html_body', 'scheduled_at'];

describe('the nearest name', () => {
  it.each([
    ['sugject', 'subject'],
    ['sbuject', 'subject'],
    ['Subject', 'subject'],
    ['htmlBody', 'html_body'],
    ['scheduledAt', 'scheduled_at'],
    ['form', 'from'],
    ['too', 'to'],
  ])('is found although %s is misspelt', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it.each(['colour', 'x', '', 'x'.repeat(100_000)])(
    'is none for a name that is like no other: %.20s',
    (name) => {
      expect(nearestName(name, known)).toBeNull();
    },
  );
});
