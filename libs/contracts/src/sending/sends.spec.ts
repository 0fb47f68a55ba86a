import { describe, expect, it } from '@jest/globals';
import { tryParse } from '../schema/parse.js';
import { Attachment } from './sends.js';

const isTaken = (contentType: string): boolean =>
  tryParse(Attachment, { filename: 'a.txt', content: 'SGVsbG8=', contentType }).failures.length === 0;

describe('a quoted parameter of a media type', () => {
  it.each(['charset="utf-8"', 'title="a \\"b\\" \\\\ [c] ~!"', 'x=""'])(
    'is taken in ASCII: %s',
    (parameter) => {
      expect(isTaken(`text/plain; ${parameter}`)).toBe(true);
    },
  );

  it.each([
    'title="Müller"',
    'title="\\ü"',
    'title="a\u200b"',
    'title="a\u0085b"',
    'title="\u007f"',
    'title="😀"',
  ])('is refused where a header cannot hold it: %s', (parameter) => {
    expect(isTaken(`text/plain; ${parameter}`)).toBe(false);
  });
});
