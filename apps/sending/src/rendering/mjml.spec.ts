import { describe, expect, it } from '@jest/globals';
import { compileMjml } from './mjml.js';

const page = (body: string, head = ''): string =>
  `<mjml>${head === '' ? '' : `<mj-head>${head}</mj-head>`}<mj-body><mj-section><mj-column>${body}</mj-column></mj-section></mj-body></mjml>`;

describe('a variable in MJML', () => {
  it.each([
    ['an attribute', page('<mj-text color="{{ brand }}">x</mj-text>'), /color: ?{{ brand }}/],
    [
      'a quoted default',
      page('<mj-text color="{{ b | default: "red" }}">x</mj-text>'),
      /{{ b \| default: "red" }}/,
    ],
    [
      'a link',
      page('<mj-button href="{{ url }}?a={{ a }}" background-color="{{ c }}">x</mj-button>'),
      /href="{{ url }}\?a={{ a }}"/,
    ],
    ['a picture', page('<mj-image src="{{ src }}" alt="{{ a < b }}" />'), /src="{{ src }}"/],
    [
      'a style',
      page('<mj-text css-class="a">x</mj-text>', '<mj-style>.a { color: {{ c }}; }</mj-style>'),
      /color: {{ c }}/,
    ],
    [
      'an inlined style',
      page(
        '<mj-text css-class="a">x</mj-text>',
        '<mj-style inline="inline">.a { color: {{ c }} !important; {{ p }}: 1px }</mj-style>',
      ),
      /class="a"[^>]* style="[^"]*{{ p }}: 1px/,
    ],
    [
      'a media query',
      page(
        '<mj-text css-class="a">x</mj-text>',
        '<mj-style>@media (max-width: 9px) { .a { color: {{ c }} } }</mj-style>',
      ),
      /color: {{ c }}/,
    ],
    [
      'defaults',
      page('<mj-text>x</mj-text>', '<mj-attributes><mj-text color="{{ c }}" /></mj-attributes>'),
      /color: ?{{ c }}/,
    ],
    [
      'a rule that matches nothing',
      page('<mj-text>kept</mj-text>', '<mj-style>.b { color: {{ c }} }</mj-style>'),
      /kept/,
    ],
    [
      'text with markup in it',
      page('<mj-text>{% if a < b %}less{% endif %} &amp; {{ x && y }}</mj-text>'),
      /{% if a < b %}less{% endif %} &amp; {{ x && y }}/,
    ],
  ])('is kept in %s', async (_, source, expected) => {
    const { html, faults } = await compileMjml(source);
    expect(faults).toEqual([]);
    expect(html).toMatch(expected);
    expect(html).not.toMatch(/lq+\d/);
  });
});

describe('what MJML would lose', () => {
  it.each([
    ['an element that is not closed', page('<mj-text>Hello'), 1, 39, '<mj-text> is not closed'],
    [
      'one that ends with another',
      '<mjml>\n<mj-body><mj-section><mj-column>\n <mj-text>a</mj-text></mj-section></mj-body></mjml>',
      2,
      22,
      '<mj-column> is not closed',
    ],
    ['the last one', '<mjml><mj-body><mj-section></mj-section></mj-body>', 1, 1, '<mjml> is not closed'],
    [
      'text beside elements',
      page('<mj-text>a</mj-text>\n lost'),
      2,
      2,
      'text between MJML elements stands in <mj-text> or <mj-raw>',
    ],
    [
      'a tag between elements',
      page('\n{% if a %}<mj-text>a</mj-text>'),
      2,
      1,
      'Liquid between MJML elements stands in <mj-raw>',
    ],
    [
      'a variable between elements',
      page('{{ a }}'),
      1,
      39,
      'Liquid between MJML elements stands in <mj-raw>',
    ],
    ['a conditional comment', page('<!--[if mso]>a<![endif]-->'), 1, 39, /conditional comment/],
    [
      'a second body',
      '<mjml><mj-body></mj-body><mj-body></mj-body></mjml>',
      1,
      26,
      'there is a second <mj-body>',
    ],
    [
      'what follows the end',
      `${page('')}<mjml></mjml>`,
      1,
      expect.any(Number),
      '<mjml> stands after </mjml>',
    ],
    ['an include', page('<mj-include path="a.mjml" />'), 1, 39, /is not read/],
    ['an unknown element', page('\n <mj-nothing />'), 2, 2, /mj-nothing/],
    ['an unknown attribute', page('<mj-text colour="red">a</mj-text>'), 1, 39, /colour/],
    ['a wrong value', page('<mj-text color="{x}">a</mj-text>'), 1, 39, /invalid value/],
    [
      'Liquid around rules',
      page(
        '<mj-text css-class="a">a</mj-text>',
        '<mj-style>{% if a %}.a { color: red }{% endif %}</mj-style>',
      ),
      1,
      26,
      /Liquid cannot stand here/,
    ],
    [
      'a size by a variable',
      page('<mj-text padding="{{ p }}">a</mj-text>\n<mj-image width="{{ w }}px" src="a.png" alt="" />'),
      2,
      18,
      /calculates with this size/,
    ],
  ])('is refused with its place: %s', async (_, source, line, column, message) => {
    const { faults } = await compileMjml(source);
    const text = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(faults[0]).toEqual({ line, column, message: text });
  });
});

describe('a comment in MJML', () => {
  const vml = '<!--[if mso]><v:rect href="{{ url }}">A{% if a %}b{% endif %}</v:rect><![endif]-->';
  const forOthers = '<!--[if !mso]><!--><a href="{{ url }}">b</a><!--<![endif]-->';

  it.each([
    ['mj-raw', page(`<mj-raw>${vml}${forOthers}</mj-raw>`)],
    ['mj-raw of the head', page('', `<mj-raw>${vml}${forOthers}</mj-raw>`)],
    ['mj-text', page(`<mj-text>x${vml}${forOthers}</mj-text>`)],
    ['mj-button', page(`<mj-button href="x">x${vml}${forOthers}</mj-button>`)],
    ['mj-table', page(`<mj-table><tr><td>${vml}${forOthers}</td></tr></mj-table>`)],
    [
      'mj-accordion-text',
      page(
        `<mj-accordion><mj-accordion-element><mj-accordion-text>${vml}${forOthers}</mj-accordion-text></mj-accordion-element></mj-accordion>`,
      ),
    ],
    [
      'mj-social-element',
      page(
        `<mj-social><mj-social-element name="x" href="y">${vml}${forOthers}</mj-social-element></mj-social>`,
      ),
    ],
  ])('is kept with its Liquid where it is conditional in %s', async (_, source) => {
    const { html, faults } = await compileMjml(source);
    expect(faults).toEqual([]);
    expect(html).toContain(vml);
    expect(html).toContain(forOthers);
  });

  it('around Liquid is kept in content', async () => {
    const { html, faults } = await compileMjml(
      page('<mj-raw><!-- {% if a %} --></mj-raw><mj-text>x</mj-text><mj-raw><!-- {% endif %} --></mj-raw>'),
    );
    expect(faults).toEqual([]);
    expect(html).toMatch(/<!-- {% if a %} -->[^]*x[^]*<!-- {% endif %} -->/);
  });

  it('goes between elements and in the title, with its Liquid', async () => {
    const note = '<!-- note {{ n }} {% if a %}b{% else %}c{% endif %} -->';
    const { html, faults } = await compileMjml(
      page(`${note}<mj-text>{{ "<!--" }} kept {{ "-->" }}</mj-text>`, `${note}<mj-title>t${note}</mj-title>`),
    );
    expect(faults).toEqual([]);
    expect(html).toContain('{{ "<!--" }} kept {{ "-->" }}');
    expect(html).not.toContain('note');
  });

  it.each(['{% if a %}', '{% else %}', '{%- endif -%}', '{% endif %}{% if a %}'])(
    'is refused between elements with its place where it is a part of a block: %s',
    async (tag) => {
      const { faults } = await compileMjml(page(`\n <!-- ${tag} --><mj-text>x</mj-text>`));
      expect(faults).toEqual([
        { line: 2, column: 2, message: 'Liquid between MJML elements stands in <mj-raw>' },
      ]);
    },
  );
});
