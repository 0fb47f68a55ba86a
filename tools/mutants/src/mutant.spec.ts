import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { changed, changesOf, readMutant, readMutants, type Change } from './mutant.js';

const specs = globSync('{apps,libs,tools}/**/*.spec.ts');
const change: Change = { file: 'a.ts', find: 'one', replace: 'two' };
const text = 'breaks: it\nfile: a.ts\nfind: one\nreplace: two\nrun: test\nsays: failed\n';

describe('mutants', () => {
  it('change one place', () => {
    expect(changesOf(readMutant('m', text))).toEqual([change]);
    expect(changed('m', change, 'zero one $&')).toBe('zero two $&');
  });

  it.each(['zero', 'one one'])('are refused where their text does not stand once: %s', (source) => {
    expect(() => changed('m', change, source)).toThrow(/finds its text [02] times/);
  });

  it('say what they lack', () => {
    expect(() => readMutant('m', 'file: a.ts')).toThrow(
      'the mutant m lacks breaks, find, replace, run, says',
    );
  });

  it.each(readMutants('tools/mutants/patches').map((mutant) => [mutant.name, mutant] as const))(
    '%s still fits the product',
    (_, mutant) => {
      for (const each of changesOf(mutant)) {
        const source = readFileSync(each.file, 'utf8');
        expect(changed(mutant.name, each, source)).not.toBe(source);
      }
      const [, pattern] = /--testPathPatterns (\S+)/.exec(mutant.run) ?? [];
      if (pattern) expect(specs.filter((path) => new RegExp(pattern).test(path))).not.toEqual([]);
    },
  );
});
