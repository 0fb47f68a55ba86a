import { describe, expect, it } from '@jest/globals';
import { render, renderTexts } from './liquid.js';

const now = new Date('2026-01-31T09:05:00Z');
const html = (source: string, variables: object, snippets: Record<string, string> = {}): string =>
  render({ subject: '', html: source, text: null }, { variables: { ...variables }, snippets, now }).html;
const subject = (source: string, variables: object): string =>
  render({ subject: source, html: '', text: null }, { variables: { ...variables }, snippets: {}, now })
    .subject;

describe('HTML that is escaped already', () => {
  const variables = { s: 'Tom & <Jerry>', nl: 'Street 1\nTown' };
  const once = 'Tom &amp; &lt;Jerry&gt;';

  it.each([
    ['{{ s | escape }}', once],
    ['{{ s | escape_once }}', once],
    ['{{ s | xml_escape | escape }}', once],
    ['{% assign x = s | escape %}{{ x }}{% echo x %}{{ x ?? "-" }}{{ none | default: x }}', once.repeat(4)],
    ['{% capture c %}<b>{{ s }}</b>{% endcapture %}{{ c }}{{ c | strip }}', `<b>${once}</b>`.repeat(2)],
    ['{% capture c %}{{> i}}{% render "i" %}{% endcapture %}{{ c }}', `<i>${once}</i>`.repeat(2)],
    ['{{ nl | newline_to_br }}', 'Street 1<br />\nTown'],
    ['{{ s | newline_to_br }}', once],
    ['{{ s | escape | append: "<br>" }}', `${once}&lt;br&gt;`],
    ['{{ "<" | append: s | prepend: "&" }}', `&amp;&lt;${once}`],
    ['{% capture c %}<b>x</b>{% endcapture %}{{ c | replace: "x", s }}', `<b>${once}</b>`],
    ['{% capture c %}a b{% endcapture %}{{ c | split: " " | join: "&" }}', 'a&amp;b'],
    [
      '{% capture c %}ab{% endcapture %}{{ c.size }}{% if c == "ab" and c contains "b" %}=={% endif %}',
      '2==',
    ],
  ])('is not escaped again: %s', (source, expected) => {
    expect(html(source, variables, { i: '<i>{{ s }}</i>' })).toBe(expected);
  });

  it('is made nowhere but in HTML', () => {
    const source = '{{ s | escape }}{{ s | escape_once }}{{ s | xml_escape }}{{ s | newline_to_br }}';
    expect(subject(source, variables)).toBe(variables.s.repeat(4));
    expect(renderTexts({ texts: ['{{ s | escape }}'], variables, now })).toEqual([once]);
  });
});
