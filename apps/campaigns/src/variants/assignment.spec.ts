import { describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { assignedTo } from './assignment.js';

const campaign = {
  id: '019b0000-0000-7000-8000-000000000001',
  variants: [{ name: 'A' }, { name: 'B' }],
  test: { share: 20, winnerBy: 'OPENS' as const, afterMinutes: 60 },
};

describe('who gets which variant', () => {
  it('is the same each time', () => {
    const contact = newId();
    expect(assignedTo(contact, campaign)).toEqual(assignedTo(contact, campaign));
  });

  it('is the share of the test, evenly over the variants', () => {
    const assigned = Array.from({ length: 20_000 }, () => assignedTo(newId(), campaign).variant);
    const count = (variant: number | null) => assigned.filter((each) => each === variant).length;
    expect(count(null) / 20_000).toBeCloseTo(0.8, 1);
    expect(count(0) / (count(0) + count(1))).toBeCloseTo(0.5, 1);
  });

  it('is nobody without variants', () => {
    expect(assignedTo(newId(), { ...campaign, variants: null, test: null }).variant).toBeNull();
  });
});
