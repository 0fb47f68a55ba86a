import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanBody } from './body-guard.js';

const scan = (text: string) => scanBody(Buffer.from(text));
const kindOf = (text: string) => scan(text)?.kind ?? null;
const nested = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('the body guard', () => {
  it('lets every JSON value without a fault pass', () => {
    const json = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const expected = /\\u0000/.test(text.replaceAll('\\\\', ''))
          ? 'nul'
          : /\\ud[89a-f]/.test(text.replaceAll('\\\\', ''))
            ? 'lone_surrogate'
            : null;
        expect(kindOf(text)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws and never loops, whatever the bytes', () => {
    const fragments = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '\\u',
      'd800',
      '1e9',
      '-',
      'null',
      ' ',
      '\n',
      'a',
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 40 }), (parts) => void scan(parts.join(''))),
      { numRuns: 5_000 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void scanBody(Buffer.from(bytes))));
  });

  it('finds a repeated member wherever it stands, and however it is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), fc.nat(4), (name, depth) => {
        fc.pre(!name.includes('\0'));
        const escaped = [...name]
          .flatMap((char) => char.split(''))
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
        const object = `{${JSON.stringify(name)}:{"x":1},"${escaped.join('')}":2}`;
        expect(kindOf('['.repeat(depth) + object + ']'.repeat(depth))).toBe('duplicate_member');
      }),
    );
    expect(kindOf('{"a":{"b":1},"c":{"b":1}}')).toBeNull();
    expect(kindOf('[{"b":1},{"b":1}]')).toBeNull();
  });

  it.each([
    ['NUL', '{"a":"x\\u0000"}', 'nul', ['a']],
    ['NUL in a name', '{"a":{"\\u0000":1}}', 'nul', ['a', '']],
    ['a lone high surrogate', '{"a":[1,"\\ud800"]}', 'lone_surrogate', ['a', '1']],
    ['a lone low surrogate', '{"a":"\\uDC00"}', 'lone_surrogate', ['a']],
    ['a number beyond all', '{"a":{"b":1e140000}}', 'number_out_of_range', ['a', 'b']],
    ['a long number', `{"a":-${'9'.repeat(400)}}`, 'number_out_of_range', ['a']],
    ['depth 33', nested(33), 'too_deep', Array(32).fill('a')],
    ['raw control characters', '{"a":"\u0001"}', 'not_json', ['a']],
    ['a wrong escape', '{"a":"\\x"}', 'not_json', ['a']],
  ])('refuses %s, and says where', (_, text, kind, path) => {
    expect(scan(text)).toEqual({ kind, path });
  });

  it('takes what is just within the limits', () => {
    const object = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`;
    expect(kindOf(nested(32))).toBeNull();
    expect(kindOf(object(1_000))).toBeNull();
    expect(kindOf(object(1_001))).toBe('too_many_members');
    expect(kindOf(`[${Array(20_000).fill('[]').join(',')}]`)).toBeNull();
    expect(kindOf(`[${Array(20_001).fill('0').join(',')}]`)).toBe('too_many_members');
    expect(kindOf('{"a":"\\ud83d\\ude00","b":1e308,"é":"é"}')).toBeNull();
  });

  it('refuses invalid UTF-8, surrogates in UTF-8 among it', () => {
    expect(scanBody(Buffer.from([0x22, 0xff, 0x22]))?.kind).toBe('not_utf8');
    expect(scanBody(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))?.kind).toBe('not_utf8');
  });

  it('takes __proto__ for a name like any other', () => {
    expect(kindOf('{"__proto__":{"x":1},"constructor":1}')).toBeNull();
    expect(kindOf('{"__proto__":1,"__proto__":2}')).toBe('duplicate_member');
  });

  it('refuses 1 MB of 100 000 keys, and depth 5 000, in less than 50 ms', () => {
    const wide = Buffer.from(`{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`).join(',')}}`);
    const deep = Buffer.from('['.repeat(5_000) + ']'.repeat(5_000));
    // The best of five: a busy machine takes the core away from any one of them.
    const took = Array.from({ length: 5 }, () => {
      const started = performance.now();
      expect([scanBody(wide)?.kind, scanBody(deep)?.kind]).toEqual(['too_many_members', 'too_deep']);
      return performance.now() - started;
    });
    expect(Math.min(...took)).toBeLessThan(50);
  });
});
