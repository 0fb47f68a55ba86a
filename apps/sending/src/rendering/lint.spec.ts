import { describe, expect, it } from '@jest/globals';
import type { EmailCategory } from '@posthorn/contracts';
import { growthOf, repeated } from '@posthorn/testing';
import { lint } from './lint.js';

const leave = '<a href="{{ unsubscribe_url }}">Leave</a>';

function found(
  html: string,
  { category = 'TRANSACTIONAL' as EmailCategory, snippets = {} as Record<string, string> } = {},
): string[] {
  return lint({ html, sources: [html], snippets, category }).map(
    ({ rule, place: location }) => `${rule}${location === null ? '' : ` at ${location}`}`,
  );
}

describe('a mail is linted for', () => {
  it('its end, which most readers never see', () => {
    const row = '<p>words</p>\n';
    expect(found(row.repeat(8_000))).toEqual([]);
    expect(found(row.repeat(8_100))).toEqual(['too_large']);
  });

  it('images without alternative text, and those over http', () => {
    expect(
      found('<p>x</p>\n  <img src="https://a.example/x.png"><img src="http://a.example/x.png" alt="">'),
    ).toEqual(['image_without_alt at line 2, column 3', 'insecure_image at line 2, column 38']);
    expect(found('<p>x</p><img src="{{ picture }}" alt="{{ what }}">')).toEqual([]);
  });

  it.each(['', 'shop', '/shop', 'www.example.com', 'https://', 'http:// x', '?a=b'])(
    'a link without a target, as %p',
    (href) => {
      expect(found(`<p>x</p><a href="${href}">x</a>`)).toEqual(['broken_link at line 1, column 9']);
    },
  );

  it.each([
    'https://a.example',
    'mailto:a@b.example',
    'tel:+491',
    '#top',
    '{{ link }}',
    'https://a.example/{{ id }}?x={% if a < b %}1{% endif %}',
  ])('no fault in %p', (href) => {
    expect(found(`<p>x</p><a href="${href}">x</a><a name="x"></a>`)).toEqual([]);
  });

  it('words', () => {
    expect(found('<img src="https://a.example/x.png" alt="Sale">')).toEqual(['no_text']);
    expect(found('<style>p { color: red }</style><!-- x -->')).toEqual(['no_text']);
  });

  it('an unsubscribe link in marketing mail', () => {
    expect(found('<p>x</p>', { category: 'MARKETING' })).toEqual(['unsubscribe_missing']);
    expect(found(`<p>x</p>${leave}`, { category: 'MARKETING' })).toEqual([]);
    expect(
      found('<p>x</p>{{> a}}', {
        category: 'MARKETING',
        snippets: { a: '{{> b}}', b: leave.replace('unsubscribe', 'manage') },
      }),
    ).toEqual([]);
  });

  it('unknown snippets, also within snippets', () => {
    expect(found('<p>x</p>\n{{> a}}{% render "gone" %}', { snippets: { a: 'x {{> lost}}' } })).toEqual([
      'unknown_snippet at line 2, column 8',
      'unknown_snippet at snippet a, line 1, column 3',
    ]);
  });

  it('forms and scripts', () => {
    expect(found('<p>x</p><form><input></form>')).toEqual([
      'form at line 1, column 9',
      'form at line 1, column 15',
    ]);
    expect(found('<p>x</p><script>alert(1)</script>')).toEqual(['script at line 1, column 9']);
    expect(found('<p onclick="x()">x</p><a href="javascript:x()">x</a>')).toEqual([
      'script at line 1, column 1',
      'script at line 1, column 23',
    ]);
  });

  it('text that is hard to read', () => {
    const text = (style: string, inner = 'words') => found(`<div style="${style}">${inner}</div>`);
    expect(text('color: #aaa')).toEqual(['low_contrast at line 1, column 26']);
    expect(text('color: #777; font-size: 30px')).toEqual([]);
    expect(text('color: #767676')).toEqual([]);
    expect(text('background: rgb(0, 0, 0)', '<p>black on black</p>')).toEqual([
      'low_contrast at line 1, column 42',
    ]);
    expect(text('background-color: navy; color: white', '<b>x</b>')).toEqual([]);
    expect(text('color: {{ brand }}; background: url(x.png)')).toEqual([]);
    for (const hidden of ['font-size: 0', 'font-size: 1px', 'display: none'])
      expect(text(`color: #fff; ${hidden}`, '<p>x</p>')).toEqual([]);
  });
});

describe('a finding', () => {
  it('has a rule, a severity and a fix', () => {
    const [finding] = lint({
      html: '<p>x</p><form></form>',
      sources: [],
      snippets: {},
      category: 'TRANSACTIONAL',
    });
    expect(finding).toEqual({
      rule: 'form',
      severity: 'ERROR',
      message: 'The mail has <form>.',
      place: 'line 1, column 9',
      fix: 'Link to a page with the form: mail programs show none.',
    });
  });

  it('is reported twenty times at most', () => {
    expect(found(`<p>x</p>${'<img src="https://a.example">'.repeat(50)}`)).toHaveLength(20);
  });
});

describe('a mail that repeats itself', () => {
  const lintHtml = (html: string) => lint({ html, sources: [''], snippets: {}, category: 'TRANSACTIONAL' });

  it.each(['[', '[a', '{', '{{', '{%', '{{ "', '{%{{', '<!--', '<img>\n', '<a href="x">'])(
    'is linted in linear time: %j',
    (unit) => {
      expect(growthOf(lintHtml, repeated(unit))).toBeLessThan(20);
    },
  );

  it.each(['<ul><li>a', '<div>a'])(
    'is linted without a look at each open element for each text: %j',
    (unit) => {
      // The libraries that read HTML take somewhat more than linear time.
      expect(growthOf(lintHtml, repeated(unit))).toBeLessThan(60);
    },
  );

  it('has Liquid that is hidden as far as it is closed', () => {
    const rulesOf = (html: string) => lintHtml(html).map(({ rule }) => rule);
    expect(rulesOf('<p>x</p>{{ {% <a href="b">y</a> }} {{')).toEqual([]);
    expect(rulesOf('<p>x</p>{% {{ <a href="b">y</a> %} {%')).toEqual([]);
    expect(rulesOf('<p>x</p>{{ {% a %} <a href="b">y</a>')).toEqual(['broken_link']);
    expect(rulesOf('<p>x</p>{{ <a href="b">y</a> %}')).toEqual(['broken_link']);
  });
});
