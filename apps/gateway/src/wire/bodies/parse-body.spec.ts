import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DomainError } from '@posthorn/contracts';
import { parseBody } from './parse-body.js';

const kindOf = (bytes: Buffer | string): string => {
  try {
    parseBody(Buffer.from(bytes as string));
    return 'read';
  } catch (error) {
    return (error as DomainError).kind;
  }
};

describe('a body in bytes', () => {
  it('is what JSON.parse makes of it', () => {
    const safe = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(safe, (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('\\u'));
        expect(parseBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['', 'invalid'],
    ['[]', 'invalid'],
    ['null', 'invalid'],
    ['"text"', 'invalid'],
    ['{"a":1', 'malformed'],
    ['{"a":1}}', 'malformed'],
    ['{a:1}', 'malformed'],
    ['{"a":1,}', 'malformed'],
    ['\ufeff{}', 'malformed'],
    ['{"a":1,"\\u0061":2}', 'malformed'],
    ['{"a":"\\ud800"}', 'invalid'],
    ['{"a":"\\u0000"}', 'invalid'],
    [`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'invalid'],
    [' {} ', 'read'],
  ])('of %j is %s', (text, kind) => expect(kindOf(text)).toBe(kind));
});
