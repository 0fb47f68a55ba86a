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
