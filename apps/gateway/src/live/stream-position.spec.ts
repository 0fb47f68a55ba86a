import { describe, expect, it } from '@jest/globals';
import { decodePosition, encodePosition } from './stream-position.js';

const [project, other] = ['019b0000-0000-7000-8000-000000000001', '019b0000-0000-7000-8000-000000000002'];
const position = [
  { epoch: '00ff10ab', sequence: 0, items: 0 },
  { epoch: 'ffffffff', sequence: 2 ** 47, items: 255 },
];

describe('the id of the stream', () => {
  it('is read as it was written', () => {
    expect(decodePosition(project, encodePosition(project, position), 2)).toEqual(position);
  });

  it('is of its project, and of as many streams', () => {
    const id = encodePosition(project, position);
    expect(() => decodePosition(other, id, 2)).toThrow('another project');
    expect(() => decodePosition(project, id, 3)).toThrow('not an id');
    for (const text of ['', 'AQ', `${id}=`, `${id} `, id.slice(1), `x${id}`, 'null'])
      expect(() => decodePosition(project, text, 2)).toThrow('not an id');
  });
});
