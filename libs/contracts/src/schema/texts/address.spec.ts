import { describe, expect, it } from '@jest/globals';
import { growthOf, repeated } from '@posthorn/testing';
import fc from 'fast-check';
import { normaliseAddress, normaliseDomain, parseMailbox } from './address.js';

describe('an address', () => {
  it.each([
    ['Anna@Example.COM', 'anna@example.com'],
    ['anna@Büro.example', 'anna@xn--bro-hoa.example'],
  ])('%s is normalised to %s', (text, address) => {
    expect(normaliseAddress(text)).toBe(address);
  });

  it.each([
    'anna@example.com/foo',
    'anna@example.com?x=1',
    'anna@example.com#x',
    'anna@example.com\\x',
    'anna@ex%61mple.com',
    'anna@exa\tmple.com',
    'anna@büro.example/x',
    'anna@１０.０.０.１',
    'anna@example.com:25',
  ])('that is invalid is refused, not repaired: %j', (text) => {
    expect(normaliseAddress(text)).toBeNull();
  });
});

describe('characters that nobody sees', () => {
  const all = [
    ...[
      '\u00ad',
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u200f',
      '\u202a',
      '\u202e',
      '\u2060',
      '\u2064',
      '\ufeff',
    ],
    ...['\u{e0000}', '\u{e0041}', '\u{e007f}'],
  ];

  it.each(all.map((letter) => [letter.codePointAt(0)!.toString(16), letter]))(
    'are dropped around an address and refused in it: %s',
    (_, letter) => {
      expect(normaliseAddress(`${letter} Ada@example.com${letter} ${letter}`)).toBe('ada@example.com');
      expect(parseMailbox(`${letter}Ada <${letter}ada@example.com${letter}> ${letter}`)).toMatchObject({
        email: 'ada@example.com',
      });
      expect(parseMailbox({ email: `${letter}ada@example.com` })).toEqual({ email: 'ada@example.com' });
      for (const address of [
        `a${letter}da@example.com`,
        `ada${letter}@example.com`,
        `ada@${letter}example.com`,
      ])
        expect([normaliseAddress(address), parseMailbox(address)]).toEqual([null, null]);
      for (const domain of [`exam${letter}ple.com`, `example.${letter}com`])
        expect([normaliseAddress(`ada@${domain}`), normaliseDomain(domain)]).toEqual([null, null]);
    },
  );

  it('take linear time', () => {
    const long = '\u200b'.repeat(4_000);
    expect(normaliseAddress(`${long}a@b.example`)).toBe('a@b.example');
    expect(normaliseAddress(`${long}${long}a@b.example`)).toBeNull();
  });
});

describe('a mailbox', () => {
  const email = 'ada@example.com';

  it.each([
    [email, { email }],
    [` ${email} `, { email }],
    [`<${email}>`, { email }],
    [`Ada <${email}>`, { email, name: 'Ada' }],
    [` Ada  Lovelace< ${email} > `, { email, name: 'Ada  Lovelace' }],
    [`"Lovelace, Ada" <${email}>`, { email, name: 'Lovelace, Ada' }],
    [`"say \\"hi\\" \\\\" <${email}>`, { email, name: 'say "hi" \\' }],
    [`"" <${email}>`, { email }],
    ['Ada', null],
    [`Ada <${email}`, null],
    [`Ada ${email}>`, null],
    [`Ada <${email}> x`, null],
    [`Ada <<${email}>>`, null],
    [`Ada, <${email}>`, null],
    [`a@b.example <${email}>`, null],
    [`Ada "x" <${email}>`, null],
    [`"Ada" x <${email}>`, null],
    [`"Ada <${email}>`, null],
    [`"Ada\\" <${email}>`, null],
    [`Ada <${email}>, Bob <bob@example.com>`, null],
    [`${'a'.repeat(256)} <${email}>`, null],
  ])('is read from %j', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });

  it('with any name in quotes has this name', () => {
    const names = fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .filter((name) => !/[\u0000-\u001f\u007f\u2028\u2029]/.test(name));
    fc.assert(
      fc.property(names, (name) => {
        const quoted = `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`;
        expect(parseMailbox(quoted)).toEqual({ email, ...(name.trim() === '' ? {} : { name: name.trim() }) });
      }),
    );
  });

  it.each([' ', 'a', 'a ', '"', '"\\', '" ', '<', '> <', 'a@', '.', 'é'])(
    'is refused in linear time where it is long: %j',
    (unit) => {
      for (const end of ['', '!', '<', '>', `<${email}`])
        expect(growthOf(parseMailbox, repeated(unit, end), 600)).toBeLessThan(15);
    },
  );
});
