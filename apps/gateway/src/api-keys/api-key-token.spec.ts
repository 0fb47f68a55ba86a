import { describe, expect, it } from '@jest/globals';
import { isWellFormedToken, lastFourOf, mintToken } from './api-key-token.js';
import { hashOfToken } from '../identity/tokens.js';

describe('an API key token', () => {
  it.each([
    ['FULL', 'LIVE', 'sk_live_'],
    ['FULL', 'TEST', 'sk_test_'],
    ['SENDING_ONLY', 'LIVE', 'pk_live_'],
    ['SENDING_ONLY', 'TEST', 'pk_test_'],
  ] as const)('of %s and %s starts with %s', (preset, mode, prefix) => {
    const token = mintToken(preset, mode);
    expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{42}$`));
    expect(isWellFormedToken(token)).toBe(true);
    expect(lastFourOf(token)).toBe(token.slice(-4));
    expect(hashOfToken(token)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('with any changed character is refused without a database query', () => {
    const token = mintToken('FULL', 'LIVE');
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'x' ? 'y' : 'x';
      expect(isWellFormedToken(token.slice(0, index) + other + token.slice(index + 1))).toBe(false);
    }
    for (const bad of ['', 'sk_live_', `${token}0`, token.slice(1), token.toUpperCase(), ` ${token}`])
      expect(isWellFormedToken(bad)).toBe(false);
  });

  it('uses all characters about equally often', () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2_000; round += 1) {
      for (const letter of mintToken('FULL', 'LIVE').slice(8, 44))
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const mean = (2_000 * 36) / 62;
    for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(mean * 0.2);
  });
});
