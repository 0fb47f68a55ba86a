import { describe, expect, it } from '@jest/globals';
import { growthOf, repeated } from '@posthorn/testing';
import fc from 'fast-check';
import { LiquidSyntaxError, RenderFailure, hasLiquid, parse, render } from './liquid.js';

const now = new Date('2026-01-31T09:05:00Z');

const html = (
  source: string,
  variables: Record<string, unknown> = {},
  snippets: Record<string, string> = {},
): string => render({ subject: '', html: source, text: null }, { variables, snippets, now }).html;
const subject = (source: string, variables: Record<string, unknown> = {}): string =>
  render({ subject: source, html: '', text: null }, { variables, snippets: {}, now }).subject;

function refusal(source: string): [string, number, number] {
  try {
    parse(source);
  } catch (error) {
    if (error instanceof LiquidSyntaxError) return [error.message, error.line, error.column];
  }
  throw new Error(`${source} parses`);
}

describe('the two extensions of Liquid', () => {
  it('includes snippets in both forms, with the variables of the caller', () => {
    const snippets = { hello: 'Hello {{ name }}', outer: '[{{> hello}}|{% render "hello" %}]' };
    expect(html('{{> outer}}', { name: 'Ada' }, snippets)).toBe('[Hello Ada|Hello Ada]');
    expect(html('{{>hello}} {{- > hello -}} .', { name: 'Ada' }, snippets)).toBe('Hello AdaHello Ada.');
    expect(html('{% render "hello", name: "Grace" %}, {{ name }}', { name: 'Ada' }, snippets)).toBe(
      'Hello Grace, Ada',
    );
    expect(html('{% for name in names %}{{> hello}};{% endfor %}', { names: ['a', 'b'] }, snippets)).toBe(
      'Hello a;Hello b;',
    );
  });

  it('keeps assignments of a snippet local', () => {
    expect(html('{{> set}}{{ x }}', { x: 1 }, { set: '{% assign x = 2 %}{{ x }}' })).toBe('21');
  });

  it('renders a missing snippet as empty, and nests at most ten snippets', () => {
    expect(html('a{{> gone}}b{% render "gone" %}c')).toBe('abc');
    const nested = (depth: number) =>
      Object.fromEntries(
        Array.from({ length: depth }, (_, at) => [`s${at}`, at === depth - 1 ? 'end' : `{{> s${at + 1}}}`]),
      );
    expect(html('{{> s0}}', {}, nested(10))).toBe('end');
    expect(() => html('{{> s0}}', {}, nested(11))).toThrow(/nested deeper than 10/);
    expect(() => html('{{> a}}', {}, { a: '{{> b}}', b: '{{> a}}' })).toThrow(RenderFailure);
  });

  it.each([
    ['{{ name ?? "friend" }}', 'friend'],
    ['{{ name??"friend" }}', 'friend'],
    ['{{ name ??"friend" | upcase }}', 'FRIEND'],
    ['{{ a ?? name ?? "b" }}', 'b'],
    ['{{ empty_text ?? "b" }}', ''],
    ['{{ no ?? "b" }}', 'false'],
    ['{{ name | default: "y" }}', 'y'],
    ['{% assign who = name ?? "you" %}{{ who }}', 'you'],
    ['{% if name ?? yes %}in{% endif %}', 'in'],
    ['{{ "really??" }} what?? {% raw %}{{ a ?? b }}{% endraw %}', 'really?? what?? {{ a ?? b }}'],
  ])('%s is %s', (source, expected) => {
    expect(html(source, { empty_text: '', no: false, yes: true })).toBe(expected);
  });

  it('are refused with their position where they are invalid', () => {
    expect(refusal('ab\n{{> two words}}')).toEqual(['a snippet is included as {{> name}}', 2, 1]);
    expect(refusal('{% render name %}')[0]).toBe('a snippet is included as {% render "name" %}');
    expect(refusal('{% for a in b ?? c %}{% endfor %}')[0]).toMatch(/^\?\? cannot stand here/);
  });
});

describe('a value', () => {
  const variables = { name: `<b>"O'Neil" & co</b>`, code: '{{ secret }}{% raw %}', secret: 'no' };

  it('is escaped in HTML only', () => {
    const escaped = '&lt;b&gt;&#34;O&#39;Neil&#34; &amp; co&lt;/b&gt;';
    const text = '{{ name }}';
    expect(render({ subject: text, html: text, text }, { variables, snippets: {}, now })).toEqual({
      subject: variables.name,
      html: escaped,
      text: variables.name,
    });
    expect(html('{% echo name %}{% cycle name %}{{> s}}', variables, { s: '{{ name }}' })).toBe(
      escaped.repeat(3),
    );
    expect(html('{{ name | raw }}', variables)).toBe(variables.name);
  });

  it('is never read as Liquid', () => {
    expect(html('{{ code }}{{ code | raw }}', variables)).toBe('{{ secret }}{% raw %}'.repeat(2));
  });

  it('never adds header lines to a subject', () => {
    for (const evil of ['a\r\n\nb', 'a\nb', 'a\u2028b', 'a\u0000b', '\na\u0085b\n'])
      expect(subject('{{ x }}', { x: evil })).toBe('a b');
    expect(subject('Hi {{ n }}!', { n: 'Zoë\n' })).toBe('Hi Zoë !');
    expect(() => subject('{{ x }}', { x: 'a'.repeat(999) })).toThrow(/longer than 998/);
  });

  it('has only its own members', () => {
    expect(
      html('[{{ a.constructor }}{{ a.__proto__ }}{{ a.toString }}{{ constructor.name }}]', { a: {} }),
    ).toBe('[]');
  });
});

describe('the name of a sender', () => {
  it('is rendered as a subject is', () => {
    const content = { subject: '', html: '', text: null, fromName: '{{ rep }} at Acme' };
    const rendered = render(content, { variables: { rep: 'Zoë &\nCo' }, snippets: {}, now });
    expect(rendered.fromName).toBe('Zoë & Co at Acme');
  });
});

describe('a source', () => {
  it.each([
    ['{{ open', 1, 1],
    ['one\n two {{ open', 2, 6],
    ['{% if a %}', 1, 1],
    ['a\n{% endif %}', 2, 1],
    ['{{ a | nosuch }}', 1, 1],
    ['{{ a | sample }}', 1, 1],
    ['{% include "x" %}', 1, 1],
    ['{% layout "x" %}', 1, 1],
    ['{% if %}'.repeat(19_000), 1, 1],
  ])('with an error, %#, is refused with its position', (source, line, column) => {
    expect(refusal(source).slice(1)).toEqual([line, expect.any(Number)]);
    if (source.length < 100) expect(refusal(source)[2]).toBe(column);
  });

  it('has a bounded number of tags, and is parsed in linear time', () => {
    expect(refusal('{{ a }}'.repeat(20_001))[0]).toMatch(/more than 20000 tags/);
    const began = process.cpuUsage();
    parse(`${'{{ a ?? b }}x'.repeat(19_000)}${'{ '.repeat(300_000)}`);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });

  it('is distinguished from plain text', () => {
    expect([hasLiquid('a { b } %}'), hasLiquid('{{ a }}'), hasLiquid('{% raw %}')]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('the same message', () => {
  it('has the same bytes at any time: now is the time of acceptance', () => {
    const source =
      '{{ "now" | date: "%Y-%m-%d %H:%M" }} {{ now | date: "%d" }} {{ "today" | date_to_xmlschema }}';
    expect(html(source)).toBe('2026-01-31 09:05 31 2026-01-31T09:05:00+00:00');
  });

  it('has the same bytes in every time zone', () => {
    expect(
      html('{{ a | date: "%H:%M" }} {{ b | date: "%H:%M" }} {{ c | date: "%d" }}', {
        a: '2026-07-01 10:00',
        b: '2026-07-01T10:00:00+02:00',
        c: '2026-07-01',
      }),
    ).toBe('10:00 08:00 01');
  });
});

describe('a date', () => {
  const dated = (a: string) => html('{{ a | date: "%Y-%m-%d %H:%M" }}|{{ a | date_to_string }}', { a });

  it.each(['Z', 'Z ', 'Z(', 'GMT(', 'UTC (', '+00:00', '+00:00 (', '2026-07-01 ', ' ', '(', '0', '-'])(
    'that is none, but long, is left as it is, in linear time: %j',
    (unit) => {
      for (const end of ['', '!'])
        expect(
          growthOf((a) => expect(dated(a)).toContain(a.slice(0, 50).trimEnd()), repeated(unit, end)),
        ).toBeLessThan(15);
    },
  );

  it('has a zone by name or by offset, with a comment of any usual length', () => {
    const a = 'Wed Jul 01 2026 10:00:00 GMT+0200 (Central European Summer Time)';
    expect(html('{{ a | date: "%H:%M" }} {{ b | date: "%H:%M" }}', { a, b: '1 Jul 2026 10:00 UTC' })).toBe(
      '08:00 10:00',
    );
  });

  it.each([
    ['"Europe/Paris"', '23:00'],
    ['"+05:30"', '02:30'],
    ['"Berlin"', '22:00'],
    ['""', '22:00'],
    ['nowhere', '22:00'],
    ['list', '22:00'],
  ])('in the zone %s is at %s, because the zone of the project stands in', (zone, time) => {
    const unknownZones = new Set<string>();
    const given = { variables: { list: ['x'] }, snippets: {}, now, timeZone: 'Europe/London', unknownZones };
    const source = `{{ "2026-06-30T21:00:00Z" | date: "%H:%M", ${zone} }}`;
    expect(render({ subject: '', html: source, text: null }, given).html).toBe(time);
    expect([...unknownZones]).toEqual({ '"Berlin"': ['Berlin'], '""': [''], list: ['["x"]'] }[zone] ?? []);
  });

  it('of more characters than a date has is text, whatever the zone of the machine', () => {
    const a = `2026-07-01 10:00${' '.repeat(200)}`;
    expect(html('{{ a | date: "%H:%M" }}', { a })).toBe(a);
  });
});

describe('a limit', () => {
  it.each([
    ['of memory', '{% for i in (1..100000000) %}x{% endfor %}'],
    [
      'of time',
      '{% for i in (1..3000) %}{% for j in (1..3000) %}{% for k in (1..100) %}{% assign x = k %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    ['of output', `{% for i in (1..3000) %}${'x'.repeat(1_000)}{% endfor %}`],
    [
      'of what is captured',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..40) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}',
    ],
    [
      'of what is joined',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}',
    ],
  ])('%s fails the message', (_, source) => {
    expect(() => html(source)).toThrow(RenderFailure);
  });

  it('also holds for what snippets multiply', () => {
    const snippets = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`s${at}`, `{{> s${at + 1}}}`.repeat(50)]),
    );
    expect(() => html('{{> s0}}', {}, snippets)).toThrow(RenderFailure);
  });
});

describe('as a property', () => {
  const value = fc.string({ unit: 'grapheme', maxLength: 40 });
  const escapeHtml = (text: string) =>
    text.replace(/[&<>"']/g, (letter) =>
      `&#${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': '34', "'": '39' }[letter]};`.replace(/#(?=[a-z])/, ''),
    );

  it('text without tags is unchanged, and a value is escaped', () => {
    fc.assert(
      fc.property(value, value, value, (before, name, after) => {
        const [left, right] = [before.replaceAll('{', ''), after.replaceAll('{', '')];
        expect(html(`${left}{{ name }}${right}`, { name })).toBe(`${left}${escapeHtml(name)}${right}`);
      }),
    );
  });

  it('?? is the operator of the language', () => {
    const any = fc.constantFrom<unknown>(undefined, null, false, 0, '', 'a');
    fc.assert(
      fc.property(any, any, any, (a, b, c) => {
        const expected = a ?? b ?? c;
        expect(html('{{a??b??c}}', { a, b, c })).toBe(
          expected === null || expected === undefined ? '' : String(expected),
        );
      }),
    );
  });

  it('any source gives a result or one of the two named errors', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      '>',
      '??',
      ' a ',
      '"',
      "'",
      '|',
      'if',
      'for x in y',
      'endfor',
      'raw',
      'endraw',
      '\n',
      '<b>',
      ':',
      ',',
      '.',
      '[',
      '(1..3)',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        try {
          html(pieces.join(''), { a: 1, y: [1, 2] });
        } catch (error) {
          expect(error).toBeInstanceOf(RenderFailure);
        }
      }),
      { numRuns: 500 },
    );
  });
});
