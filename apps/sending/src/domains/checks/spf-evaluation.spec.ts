import { describe, expect, it } from '@jest/globals';
import type { Answer } from './dns-lookup.js';
import { checkSpf, type SpfSender } from './spf-evaluation.js';

const signal = new AbortController().signal;
const host = { mailHost: 'mail.posthorn.example', include: undefined };
const provider = { mailHost: undefined, include: 'spf.provider.example' };

interface Zone {
  txt?: Record<string, Answer>;
  mx?: Record<string, Answer>;
  addresses?: Record<string, Answer>;
}

/** The record of the domain, in a zone with the host at two addresses. */
function check(record: string | string[] | null, sender: SpfSender = host, zone: Zone = {}) {
  const own = record === null ? null : [record].flat();
  const txt: Record<string, Answer> = { 'shop.example': own, ...zone.txt };
  const addresses: Record<string, Answer> = {
    'mail.posthorn.example': ['192.0.2.10', '2001:db8::10'],
    'other.example': ['198.51.100.1'],
    ...zone.addresses,
  };
  const from =
    (answers: Record<string, Answer> = {}) =>
    (name: string) =>
      Promise.resolve(name in answers ? answers[name]! : []);
  const dns = { txt: from(txt), mx: from(zone.mx), addresses: from(addresses) };
  return checkSpf('shop.example', sender, dns, signal);
}
const ranges = 'ip4:192.0.2.0/24 ip6:2001:db8::/32';

describe('an SPF record lets mail pass', () => {
  it.each<[string, Zone?]>([
    ['v=spf1 a:mail.posthorn.example ~all'],
    ['v=spf1 a:MAIL.posthorn.example. -all'],
    ['V=SPF1  +a:mail.posthorn.example  -all'],
    ['v=spf1 a:mail.posthorn.example/32 -all'],
    ['v=spf1 a:mail.posthorn.example/24//64 -all'],
    ['v=spf1 a:alias.example -all', { addresses: { 'alias.example': ['192.0.2.10', '2001:db8::10'] } }],
    ['v=spf1 a -all', { addresses: { 'shop.example': ['192.0.2.10', '2001:db8::10'] } }],
    [`v=spf1 ${ranges} -all`],
    ['v=spf1 mx -all', { mx: { 'shop.example': ['mail.posthorn.example'] } }],
    ['v=spf1 mx:shop.example -all', { mx: { 'shop.example': ['other.example', 'Mail.Posthorn.Example.'] } }],
    ['v=spf1 mx/24//32 -all', { mx: { 'shop.example': ['near.example'] }, addresses: { 'near.example': ['192.0.2.99', '2001:db8::1'] } }], // prettier-ignore
    ['v=spf1 include:all.example -all', { txt: { 'all.example': [`v=spf1 ${ranges} -all`] } }],
    ['v=spf1 redirect=all.example', { txt: { 'all.example': ['v=spf1 a:mail.posthorn.example -all'] } }],
    ['v=spf1 include:none.example include:all.example -all', { txt: { 'none.example': ['v=spf1 -all'], 'all.example': [`v=spf1 ${ranges} ?all`] } }], // prettier-ignore
    ['v=spf1 exp=why.example x-note=1 a:mail.posthorn.example -all'],
    ['v=spf1 ptr exists:%{i}.list.example a:mail.posthorn.example -all'],
    ['v=spf1 +all'],
  ])('%s', async (...[record, zone]: [string, Zone?]) => {
    expect(await check(record, host, zone)).toEqual({ status: 'VERIFIED', problem: null });
  });

  it.each<[string, Zone?]>([
    ['v=spf1 include:spf.provider.example ~all'],
    ['v=spf1 redirect=SPF.provider.example'],
    [
      'v=spf1 a mx include:more.example -all',
      { txt: { 'more.example': ['v=spf1 include:spf.provider.example'] } },
    ],
  ])('of a provider: %s', async (...[record, zone]: [string, Zone?]) => {
    expect(await check(record, provider, zone)).toEqual({ status: 'VERIFIED', problem: null });
  });

  it('beside texts that are none', async () => {
    expect((await check(['some text', 'v=spf1 a:mail.posthorn.example'])).status).toBe('VERIFIED');
  });
});

describe('an SPF record that does not, and its mistake', () => {
  const includes = (count: number) =>
    Array.from({ length: count }, (_, index) => `include:i${index}.example`).join(' ');
  const nothing = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`i${index}.example`, ['v=spf1 -all']]),
  );
  it.each<[string | string[], RegExp, Zone?]>([
    ['v=spf1 -all a:mail.posthorn.example', /refuses mail from this installation/],
    ['v=spf1 ~all', /softfail/],
    ['v=spf1 ?a:mail.posthorn.example -all', /says nothing/],
    ['v=spf1 -a:mail.posthorn.example ~all', /refuses/],
    ['v=spf1 mx', /does not name this installation/, { mx: { 'shop.example': ['other.example'] } }],
    ['v=spf1 a:mail.posthorn.example.evil.test ~all', /softfail/],
    ['v=spf1 ip4:192.0.2.10 -all', /refuses .*\(2001:db8::10\)/],
    ['v=spf1 ip4:192.0.2.11 ip6:2001:db8::/32 -all', /refuses .*\(192\.0\.2\.10\)/],
    ['v=spf10 a:mail.posthorn.example ~all', /no SPF record/],
    [[], /shop\.example has no SPF record/],
    [['v=spf1 a:mail.posthorn.example', 'v=spf1 mx -all'], /2 SPF records/],
    ['v=spf1 a:mail.posthorn.example ip4:999.1.1.1 -all', /ip4:999\.1\.1\.1 has no IPv4 address/],
    ['v=spf1 a:mail.posthorn.example ipv4:192.0.2.1 -all', /ipv4:192\.0\.2\.1 is not a term/],
    ['v=spf1 a:mail.posthorn.example, mx -all', /./],
    ['v=spf1 a:mail.posthorn.example/40 -all', /too many bits/],
    ['v=spf1 a:mail.posthorn.example include: -all', /lacks its value/],
    ['v=spf1 a:192.0.2.10 -all', /ip4:/],
    ['v=spf1 redirect=a.example redirect=b.example', /twice/],
    ['v=spf1 redirect=nobody.example', /nobody\.example has no SPF record/],
    ['v=spf1 include:nobody.example a:mail.posthorn.example -all', /nobody\.example has no SPF record/],
    [`v=spf1 ${includes(11)} a:mail.posthorn.example -all`, /lookup 11/, { txt: nothing }],
    ['v=spf1 a:x.example a:y.example a:z.example a:mail.posthorn.example', /third name that does not exist/],
    ['v=spf1 include:shop.example -all', /lookup 11/],
    ['v=spf1 mx -all', /more than 10 mail servers/, { mx: { 'shop.example': Array.from({ length: 11 }, (_, index) => `m${index}.example`) } }], // prettier-ignore
  ])('%j', async (...[record, problem, zone]: [string | string[], RegExp, Zone?]) => {
    expect(await check(record, host, zone)).toEqual({
      status: 'FAILED',
      problem: expect.stringMatching(problem),
    });
  });

  it('is not known where a name server does not answer', async () => {
    expect(await check(null)).toEqual({ status: 'PENDING', problem: null });
    const silent = { txt: { 'all.example': null } };
    expect((await check('v=spf1 include:all.example -all', host, silent)).status).toBe('PENDING');
    const unknown = { addresses: { 'mail.posthorn.example': null } };
    expect((await check(`v=spf1 ${ranges} -all`, host, unknown)).status).toBe('PENDING');
    expect((await check('v=spf1 a:mail.posthorn.example', host, unknown)).status).toBe('VERIFIED');
  });
});
