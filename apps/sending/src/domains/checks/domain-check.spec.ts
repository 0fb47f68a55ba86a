import { describe, expect, it } from '@jest/globals';
import { judgeHosts, judgeKey, judgePolicy } from './domain-check.js';
import { isPublicSuffix, organisationOf, withParents } from './host-names.js';

const key = { algorithm: 'rsa', publicKey: 'MIIBIjANBgkq' } as const;

describe('a key', () => {
  it.each<[string, string[] | null, string]>([
    ['as it was shown', ['v=DKIM1; k=rsa; p=MIIBIjANBgkq'], 'VERIFIED'],
    ['with blanks and breaks in it', [' v=DKIM1 ;k = RSA;  p=MIIB IjAN\tBgkq ; '], 'VERIFIED'],
    ['without what is usual anyway', ['p=MIIBIjANBgkq'], 'VERIFIED'],
    ['for both hashes', ['v=DKIM1; h=sha1 : sha256; p=MIIBIjANBgkq'], 'VERIFIED'],
    ['beside texts that are none', ['google-site-verification=abc', 'v=DKIM1; p=MIIBIjANBgkq'], 'VERIFIED'],
    ['in another case', ['v=DKIM1; p=miibIJANbGKQ'], 'FAILED'],
    ['of somebody else', ['v=DKIM1; p=AAAA'], 'FAILED'],
    ['beside another one', ['v=DKIM1; p=MIIBIjANBgkq', 'v=DKIM1; p=AAAA'], 'FAILED'],
    ['of another kind', ['v=DKIM1; k=ed25519; p=MIIBIjANBgkq'], 'FAILED'],
    ['for a hash that we do not make', ['v=DKIM1; h=sha1; p=MIIBIjANBgkq'], 'FAILED'],
    ['that was revoked', ['v=DKIM1; p='], 'FAILED'],
    ['that is not there', [], 'FAILED'],
    ['of which nobody could say', null, 'PENDING'],
  ])('%s', (_, answer, status) => {
    expect(judgeKey(answer, key)).toBe(status);
  });
});

describe('a policy', () => {
  it.each<[string[] | null, string[] | null, string, boolean]>([
    [['v=DMARC1; p=none'], [], 'VERIFIED', false],
    [['v=DMARC1;p=reject;adkim=s'], [], 'VERIFIED', true],
    [[], ['v=DMARC1; p=quarantine; adkim=S'], 'VERIFIED', true],
    [['v=DMARC1; p=none'], ['v=DMARC1; p=reject; adkim=s'], 'VERIFIED', false],
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], [], 'FAILED', false],
    [['v=DMARC1; adkim=s'], [], 'FAILED', false],
    [['v=DMARC1; p=maybe'], [], 'FAILED', false],
    [['v=DMARC12; p=none'], [], 'FAILED', false],
    [[], [], 'FAILED', false],
    [null, ['v=DMARC1; p=none'], 'PENDING', false],
    [[], null, 'PENDING', false],
  ])('%j above %j: %s', (own, above, status, strict) => {
    expect(judgePolicy(own, above)).toEqual({ status, strict });
  });
});

it('a host is one of several, whatever its case and its last dot', () => {
  expect(judgeHosts(['other.example', 'Mail.Posthorn.Example.'], 'mail.posthorn.example')).toBe('VERIFIED');
  expect(judgeHosts(['mail.posthorn.example.evil.test'], 'mail.posthorn.example')).toBe('FAILED');
  expect([judgeHosts([], 'a.example'), judgeHosts(null, 'a.example')]).toEqual(['FAILED', 'PENDING']);
});

describe('a host name', () => {
  it.each(['co.uk', 'github.io', 's3.amazonaws.com', 'xn--55qx5d.cn'])('%s is a public suffix', (name) => {
    expect(isPublicSuffix(name)).toBe(true);
  });

  it.each(['example.co.uk', 'me.github.io', 'shop.example', 'a.b.example.test'])(
    '%s can be owned',
    (name) => {
      expect(isPublicSuffix(name)).toBe(false);
    },
  );

  it('has parents and an organisation', () => {
    expect(withParents('a.b.example.com')).toEqual(['a.b.example.com', 'b.example.com', 'example.com']);
    expect([organisationOf('a.b.example.co.uk'), organisationOf('example.test')]).toEqual([
      'example.co.uk',
      'example.test',
    ]);
  });
});
