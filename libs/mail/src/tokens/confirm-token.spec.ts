import { describe, expect, it } from '@jest/globals';
import { ConfirmTokens } from './confirm-token.js';
import { EngagementTokens } from './engagement-token.js';

const location = {
  projectId: '019b0000-0000-7000-8000-000000000001',
  membershipId: '019b0000-0000-7000-8000-000000000002',
  round: 4_294_967_295,
};
const [older, newer] = [
  'an older secret of at least 32 characters',
  'a newer secret of at least 32 characters',
];

describe('the token of a confirm link', () => {
  const tokens = new ConfirmTokens([older]);
  const [token] = tokens.of(location);

  it('identifies its membership, is the same each time, and differs between rounds', () => {
    expect(tokens.of(location)).toEqual([token]);
    expect(tokens.read(token!)).toEqual({ ...location, tokenHash: ConfirmTokens.hashOf(token!) });
    expect(tokens.of({ ...location, round: 1 })[0]).not.toBe(token);
    expect(token).toMatch(/^[\w-]{70}$/);
  });

  it('survives a change of keys', () => {
    const changed = new ConfirmTokens([newer, older]);
    expect(changed.read(token!)).toMatchObject(location);
    expect(changed.of(location)).toEqual([new ConfirmTokens([newer]).of(location)[0], token]);
    expect(new ConfirmTokens([newer]).read(token!)).toBeNull();
  });

  it('is refused with one changed character, of another use, or empty', () => {
    const others = Array.from(
      token!,
      (character, at) => token!.slice(0, at) + (character === 'A' ? 'B' : 'A') + token!.slice(at + 1),
    );
    const engaged = new EngagementTokens([older]).forOpen({
      projectId: location.projectId,
      emailId: location.membershipId,
      position: 0,
    });
    for (const wrong of [
      ...others,
      engaged,
      '',
      'x',
      `${token}=`,
      ` ${token}`,
      `${token}${token}`,
      'A'.repeat(10_000),
    ])
      expect(tokens.read(wrong)).toBeNull();
  });
});
