import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { mutated, readMutant, readMutants } from './mutant.js';

const text = 'breaks: it\nfile: a.ts\nfind: one\nreplace: two\nrun: test\nsays: failed\n';

describe('mutants', () => {
  it('change one place', () => {
    expect(mutated(readMutant('m', text), 'zero one $&')).toBe('zero two $&');
  });

  it.each(['zero', 'one one'])('are refused where their text does not stand once: %s', (source) => {
    expect(() => mutated(readMutant('m', text), source)).toThrow(/finds its text [02] times/);
  });

  it('say what they lack', () => {
    expect(() => readMutant('m', 'file: a.ts')).toThrow('the mutant m lacks breaks, find, replace, run, says');
  });

  it.each(readMutants('tools/mutants/patches').map((mutant) => [mutant.name, mutant] as const))(
    '%s still fits the product',
    (_, mutant) => {
      const source = readFileSync(mutant.file, 'utf8');
      expect(mutated(mutant, source)).not.toBe(source);
    },
  );
});
