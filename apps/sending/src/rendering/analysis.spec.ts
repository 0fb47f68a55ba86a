import { describe, expect, it } from '@jest/globals';
import { growthOf } from '@posthorn/testing';
import { isMissing, snippetsOf, variablesOf } from './analysis.js';

const namesOf = (source: string, snippets: Record<string, string> = {}) =>
  variablesOf(source, snippets).map(({ name }) => name);

describe('the snippets of a source', () => {
  it('are found in both forms, also in branches, with their first position', () => {
    expect(
      snippetsOf(
        '{{> a}}\n{% if x %} {% render "b" %}{{> a}}{% else %}{{> c}}{% endif %}{% raw %}{{> d}}{% endraw %}',
      ),
    ).toEqual([
      { name: 'a', line: 1, column: 1 },
      { name: 'b', line: 2, column: 12 },
      { name: 'c', line: 2, column: 45 },
    ]);
  });
});

describe('the variables of a source', () => {
  it('are those that it does not assign, snippets included', () => {
    const source =
      '{% assign mine = contact.data.plan ?? plan %}{{ mine }}{% for item in items %}{{ item.name }}{% endfor %}{{> s}}{{ now }}';
    expect(namesOf(source, { s: '{{ inner[0].x }}{{> t}}', t: '{{> s}}{{ deep }}' })).toEqual([
      'contact.data.plan',
      'plan',
      'items',
      'inner.0.x',
      'deep',
    ]);
  });

  it('are missing where nothing would be rendered', () => {
    const variables = { a: { b: null, c: 0, list: [1] }, text: 'x' };
    const missing = variablesOf(
      '{{ a.b }}{{ a.c }}{{ a.list.first }}{{ a.list[0] }}{{ a.list[1] }}{{ text.size }}{{ b.c.d }}{{ a.toString }}',
    )
      .filter((use) => isMissing(use, variables))
      .map(({ name }) => name);
    expect(missing).toEqual(['a.b', 'a.list.1', 'a.toString', 'b.c.d']);
  });
});

describe('a source of many tags', () => {
  const many = (tagOf: (index: number) => string) => (length: number) => {
    let source = '';
    for (let index = 0; source.length < length; index += 1) source += `${tagOf(index)}\n`;
    return source;
  };

  it('is analysed in linear time', () => {
    expect(
      growthOf(
        snippetsOf,
        many(() => '{{> a}}'),
      ),
    ).toBeLessThan(30);
    expect(
      growthOf(
        snippetsOf,
        many((index) => `{{> s${index}}}`),
      ),
    ).toBeLessThan(30);
    expect(
      growthOf(
        variablesOf,
        many((index) => `{{ v${index} }}`),
      ),
    ).toBeLessThan(30);
  });

  it('has the position of each', () => {
    const source = many((index) => `  {{> s${index}}}`)(2_000);
    expect(
      snippetsOf(source).every(({ name, line, column }) => name === `s${line - 1}` && column === 3),
    ).toBe(true);
  });
});
