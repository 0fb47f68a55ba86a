import { describe, expect, it } from '@jest/globals';
import { buildReturnPath, containsReturnPath, readReturnPath } from './return-path.js';

const options = { domain: 'bounce.example', secret: 'a secret' };
const emailId = '0190a7c0-1111-7222-8333-444455556666';
const target = { emailId, position: 0 };
const read = (address: string) => readReturnPath(address, ['a newer secret', options.secret]);

describe('return path', () => {
  const address = buildReturnPath(target, options);

  it.each([0, 1, 50, 99])(
    'contains the e-mail and the recipient with index %i within 64 octets, in any case',
    (position) => {
      const path = buildReturnPath({ emailId, position }, options);
      expect(path).toMatch(/^bounces\+[0-9a-f]{32}(-\d{1,2})?\.[0-9a-f]{20}@bounce\.example$/);
      expect(path.indexOf('@')).toBeLessThanOrEqual(64);
      expect(read(path)).toEqual({ emailId, position });
      expect(read(path.toUpperCase())).toEqual({ emailId, position });
    },
  );

  it('is refused with any one character of its local part changed', () => {
    for (const position of [0, 7]) {
      const path = buildReturnPath({ emailId, position }, options);
      for (let at = 0; at < path.indexOf('@'); at++) {
        const changed = path.slice(0, at) + (path[at] === '0' ? '1' : '0') + path.slice(at + 1);
        expect(read(changed)).toBeNull();
      }
    }
  });

  it('of one recipient is not that of another', () => {
    expect(read(address.replace('.', '-1.'))).toBeNull();
    expect(read(buildReturnPath({ emailId, position: 1 }, options).replace('-1.', '.'))).toBeNull();
  });

  it.each(['', 'bounces@bounce.example', 'bounces+x.y@bounce.example', 'other+x.y@bounce.example'])(
    'is not %j',
    (other) => {
      expect(read(other)).toBeNull();
    },
  );

  it('is found in a mail that returns one, among a few wrong ones', () => {
    const contains = (text: string) => containsReturnPath(Buffer.from(text), [options.secret]);
    const wrong = buildReturnPath(target, { ...options, secret: 'other' });
    expect(contains(`Return-Path: <${address}>\r\n`)).toBe(true);
    expect(contains(`${wrong}, ${wrong} ${address.toUpperCase()}`)).toBe(true);
    expect(contains(`${`${wrong} `.repeat(20)}${address}`)).toBe(false);
    for (const text of ['', wrong, address.replace('@', ' '), 'bounces+@'.repeat(1_000)])
      expect(contains(text)).toBe(false);
  });

  it('of another secret is refused, and one for no e-mail cannot be built', () => {
    expect(readReturnPath(address, ['other'])).toBeNull();
    expect(() => buildReturnPath({ emailId: '../x', position: 0 }, options)).toThrow(RangeError);
    expect(() => buildReturnPath({ emailId, position: 100 }, options)).toThrow(RangeError);
  });
});
