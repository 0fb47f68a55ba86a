import { describe, expect, it } from '@jest/globals';
import { mintToken } from '../api-keys/api-key-token.js';
import { tokenOf } from './guard.js';

const token = mintToken('FULL', 'LIVE');
const read = (...values: string[]) =>
  tokenOf({ rawHeaders: ['Host', 'x', ...values.flatMap((value) => ['Authorization', value])] });

describe('the credential of a request', () => {
  it('is a single Bearer token', () => {
    expect([read(`Bearer ${token}`), read(`bearer   ${token} `)]).toEqual([token, token]);
  });

  it.each([
    ['none', []],
    ['two', [`Bearer ${token}`, `Bearer ${token}`]],
    ['another scheme', [`Basic ${token}`]],
    ['no scheme', [token]],
    ['two in one', [`Bearer ${token}, Bearer ${token}`]],
    ['more than 8 KB', [`Bearer ${' '.repeat(8 * 1024)}${token}`]],
    ['a typo', [`Bearer ${token.slice(0, -1)}!`]],
  ])('is no credential: %s', (_, values) => expect(read(...values)).toBeNull());
});
