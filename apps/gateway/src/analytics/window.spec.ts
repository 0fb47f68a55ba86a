import { describe, expect, it } from '@jest/globals';
import { windowOf } from './window.js';

const now = new Date('2026-03-31T15:30:00.000Z');
const iso = (requested: { from?: string; to?: string }) => {
  const { from, to } = windowOf(requested, now);
  return [from.toISOString(), to.toISOString()];
};
const entries = ([from, to]: string[]) =>
  (Date.parse(to!.slice(0, 10)) - Date.parse(from!.slice(0, 10))) / 86_400_000 + 1;

describe('the range of a report', () => {
  it('defaults to the last 30 days', () => {
    expect(iso({})).toEqual(['2026-03-02T00:00:00.000Z', '2026-03-31T15:30:00.000Z']);
    expect(entries(iso({}))).toBe(30);
  });

  it('includes the whole UTC day of a bare date', () => {
    expect(iso({ from: '2026-03-01', to: '2026-03-01' })).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-03-01T23:59:59.999Z',
    ]);
    expect(entries(iso({ from: '2026-01-01', to: '2026-03-31' }))).toBe(90);
  });

  it('keeps instants unchanged', () => {
    expect(iso({ from: '2026-03-01T10:00:00+02:00', to: '2026-03-02T00:00:00Z' })).toEqual([
      '2026-03-01T08:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
    ]);
  });

  it('is limited to 90 days by moving its start', () => {
    expect(iso({ from: '2025-01-01', to: '2026-03-31' })).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-03-31T23:59:59.999Z',
    ]);
    expect(entries(iso({ from: '2025-12-31', to: '2026-03-31' }))).toBe(90);
  });

  it('includes the partial day at its end', () => {
    const clamped = iso({ from: '2025-01-01', to: '2026-03-31T15:30:00Z' });
    expect(clamped).toEqual(['2026-01-01T00:00:00.000Z', '2026-03-31T15:30:00.000Z']);
    expect(entries(clamped)).toBe(90);
    expect(iso({ from: '2025-01-01' })).toEqual(clamped);
    // Ninety times 24 hours would reach into a ninety-first day.
    expect(entries(iso({ from: '2025-12-31T15:30:00.001Z', to: '2026-03-31T15:30:00Z' }))).toBe(90);
  });

  it.each([
    { from: '2026-04-02', to: '2026-04-01' },
    { from: '2026-04-01' },
    { from: 'now' },
    { to: 'infinity' },
    { from: '2026-02-30' },
    { from: '', to: '300000-01-01' },
  ])('refuses %j', (requested) => {
    expect(() => windowOf(requested, now)).toThrow('One or more fields are invalid');
  });
});
