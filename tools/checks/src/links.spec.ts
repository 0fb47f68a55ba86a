import { expect, it } from '@jest/globals';
import { brokenLinks } from './links.js';

const files = new Set(['README.md', 'docs/guarantees.md', 'docs/decisions/0001-one.md']);
const targetsOf = (file: string, text: string) =>
  brokenLinks(file, text, (path) => files.has(path)).map(({ line, target }) => [line, target]);

it('finds links of documents that lead nowhere', () => {
  const text =
    'See [one](decisions/0001-one.md#top), [web](https://example.com/a.md), [here](#above)\nand [none](decisions/0002-two.md).';
  expect(targetsOf('docs/guarantees.md', text)).toEqual([[2, 'decisions/0002-two.md']]);
});

it('finds files that comments cite and the repository does not have', () => {
  const text =
    '/** As guarantees.md says. */\n// docs/guarantees.md §2 and contract.md §3\nconst path = `docs/${name}.md`;';
  expect(targetsOf('libs/a/src/b.ts', text)).toEqual([
    [1, 'guarantees.md'],
    [2, 'contract.md'],
  ]);
});
