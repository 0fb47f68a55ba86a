import { describe, expect, it } from '@jest/globals';
import { readArguments } from './command-line.js';

const known = { options: ['name', 'email'], flags: ['verified'], words: 1, help: 'npm run x -- --help' };
const read = (line: string) => readArguments(line.split(' ').filter(Boolean), known);

describe('the arguments of a command', () => {
  it('are options with a value, flags and words', () => {
    expect(read('--name Ada --email=-ada@example.com --verified 42')).toEqual({
      values: { name: 'Ada', email: '-ada@example.com' },
      flags: new Set(['verified']),
      words: ['42'],
    });
    expect(read('')).toEqual({ values: {}, flags: new Set(), words: [] });
  });

  it.each([
    ['--nmae Ada', 'unknown option --nmae; did you mean --name? See npm run x -- --help'],
    ['--colour red', 'unknown option --colour; see npm run x -- --help'],
    ['-x', 'unknown option -x; see npm run x -- --help'],
    ['--name', '--name needs a value; see npm run x -- --help'],
    ['--name=', '--name needs a value; see npm run x -- --help'],
    ['--name --email a@b.c', '--name needs a value; see npm run x -- --help'],
    ['--verified=yes', '--verified takes no value; see npm run x -- --help'],
    ['1 2', 'unexpected argument 2; see npm run x -- --help'],
  ])('that are wrong are named in one line: %s', (line, message) => {
    expect(() => read(line)).toThrow(new Error(message));
  });
});
