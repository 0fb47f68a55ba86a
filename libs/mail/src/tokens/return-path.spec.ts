import { describe, expect, it } from '@jest/globals';
import { buildReturnPath, parseReturnPath } from './return-path.js';

const options = { domain: 'bounce.example', secret: 'a secret' };
const id = '0190a7c0-1111-7222-8333-444455556666';

describe('return path', () => {
  const address = buildReturnPath(id, options);

  it('contains the e-mail id within 64 octets of local part, in any case', () => {
    expect(address).toMatch(/^bounces\+[0-9a-f]{32}\.[0-9a-f]{20}@bounce\.example$/);
    expect(address.indexOf('@')).toBeLessThanOrEqual(64);
    expect(parseReturnPath(address, options)).toBe(id);
    expect(parseReturnPath(address.toUpperCase(), options)).toBe(id);
  });

  it('is refused with any one character changed', () => {
    for (let at = 0; at < address.length; at++) {
      const changed = address.slice(0, at) + (address[at] === '0' ? '1' : '0') + address.slice(at + 1);
      expect(parseReturnPath(changed, options)).toBeUndefined();
    }
  });

  it.each([
    '',
    'bounces@bounce.example',
    'bounces+x.y@bounce.example',
    `${buildReturnPath(id, options)}.evil.example`,
  ])('is not %j', (other) => {
    expect(parseReturnPath(other, options)).toBeUndefined();
  });

  it('of another secret or mailbox is refused', () => {
    expect(parseReturnPath(address, { ...options, secret: 'other' })).toBeUndefined();
    expect(parseReturnPath(address, { ...options, mailbox: 'other' })).toBeUndefined();
    expect(() => buildReturnPath('../x', options)).toThrow(RangeError);
  });
});
