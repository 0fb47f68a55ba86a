import { describe, expect, it } from '@jest/globals';
import { targetOf, type OutboundRules, type RefusedTarget } from './outbound-url.js';

const strict: OutboundRules = { allowPrivate: false, ports: [80, 443, 8080, 8443] };
const open: OutboundRules = { ...strict, allowPrivate: true };

const outcomeOf = (url: string, rules = strict): string => {
  try {
    return targetOf(url, rules).href;
  } catch (error) {
    return (error as RefusedTarget).refusal;
  }
};

describe('a target', () => {
  it.each([
    ['https://example.org/hook', 'https://example.org/hook'],
    ['http://example.org:8080/', 'http://example.org:8080/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['', 'url'],
    ['example.org/hook', 'url'],
    ['/hook', 'url'],
    ['http://', 'url'],
    ['http://256.1.1.1/', 'url'],
    ['ftp://example.org/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['gopher://127.0.0.1:25/', 'scheme'],
    ['https://user@example.org/', 'credentials'],
    ['https://example.org:secret@127.0.0.1/', 'credentials'],
    ['https://example.org:25/', 'port'],
    ['http://example.org:443/', 'http://example.org:443/'],
    ['http://127.0.0.1/', 'address'],
    // Each spelling of the loopback address that the URL standard reads as such.
    ['http://127.1/', 'address'],
    ['http://2130706433/', 'address'],
    ['http://0x7f000001/', 'address'],
    ['http://017700000001/', 'address'],
    ['http://0x7f.0.0.1/', 'address'],
    ['http://①②⑦.0.0.1/', 'address'],
    ['http://127。0。0。1/', 'address'],
    ['http://127.0.0.1./', 'address'],
    ['http://[::1]/', 'address'],
    ['http://[::ffff:127.0.0.1]/', 'address'],
    ['http://[0:0:0:0:0:ffff:7f00:1]/', 'address'],
    ['http://[64:ff9b::7f00:1]/', 'address'],
    ['http://169.254.169.254/latest/meta-data/', 'address'],
    ['http://0/', 'address'],
  ])('%j becomes %s', (url, expected) => {
    expect(outcomeOf(url)).toBe(expected);
  });

  it('may be private where that is allowed, but never the metadata of a cloud', () => {
    expect(outcomeOf('http://127.0.0.1:3000/', open)).toBe('http://127.0.0.1:3000/');
    expect(outcomeOf('http://[::1]:3000/', open)).toBe('http://[::1]:3000/');
    expect(outcomeOf('http://169.254.169.254/', open)).toBe('address');
    expect(outcomeOf('http://[::ffff:a9fe:a9fe]/', open)).toBe('address');
    expect(outcomeOf('https://user@localhost/', open)).toBe('credentials');
  });
});
