import { describe, expect, it } from '@jest/globals';
import { withFooter } from './marketing-footer.js';
import { hasVisibleLink } from './visible-link.js';

const prefixes = ['https://mail.shop.example/u/'];
const sentHtml = (html: string): string =>
  withFooter(
    { subject: 'News', html, text: null },
    { url: `${prefixes[0]}token`, prefixes, project: { name: 'Shop' } },
  ).html;
const footer = /<div style="[^"]*">(?:(?!<div).)*Unsubscribe<\/a>.*?<\/div>/;

describe('the footer of marketing mail', () => {
  it.each([
    ['letters that grow in lower case', 'İ'.repeat(20)],
    ['an end of the body in a comment', '<!-- </body> -->'],
    ['a conditional comment', '<!--[if mso]>a<![endif]-->'],
    ['capital letters', '<P>x</P>'],
  ])('stands before the end of the body with %s', (_, text) => {
    for (const end of ['</body>', '</BODY >'])
      expect(sentHtml(`<html><body>${text}${end}<!-- b --></html>`).replace(footer, '[]')).toBe(
        `<html><body>${text}[]${end}<!-- b --></html>`,
      );
  });

  it('ends a comment that nobody closed, whatever letters it has', () => {
    expect(sentHtml(`<p>${'İ'.repeat(20)}</p><!-- open`).replace(footer, '[]')).toBe(
      `<p>${'İ'.repeat(20)}</p><!-- open-->[]`,
    );
  });

  it.each([
    ['<p>', ''],
    ['<!doctype html><html><body class="a>b">', '<div style="display:none">pre<p>News</p></body></html>'],
    ['', '<div style="display:none">preheader<p>News</p>'],
    ['<html><BODY>', '<div hidden>preheader<p>News</p></BODY></html>'],
    ['<!DOCTYPE html>', '<html><head><style>p { color: red }<body>News</body></html>'],
    ['<body>', '<div style="font-size:0;max-height:0;overflow:hidden">pre</p></body>'],
  ])('is visible in front of what an open element would hide: %s%s', (before, rest) => {
    const html = sentHtml(before + rest);
    expect(hasVisibleLink(html, prefixes)).toBe(true);
    if (rest !== '') expect(html.replace(footer, '[]')).toBe(`${before}[]${rest}`);
  });

  it.each([
    'p { display: none }',
    'a { display: none !important; visibility: hidden }',
    'div, p { visibility: hidden !important }',
    'p { opacity: 0; max-height: 0; font-size: 0 }',
    'a { color: transparent; font-size: 1px }',
    'div { mso-hide: all; width: 0 }',
  ])('is visible at the end though a style hides elements of its names: %s', (rule) => {
    const html = sentHtml(`<head><style>${rule}</style></head><body><p>News</p></body>`);
    expect(hasVisibleLink(html, prefixes)).toBe(true);
    expect(html).toMatch(/<p>News<\/p><div[^]*<\/div><\/body>$/);
    const [, ...styles] = html.split('</head>')[1]!.match(/style="[^"]*"/g)!;
    for (const style of styles)
      expect(style).toMatch(/display:(?:block|inline) !important.*visibility:visible !important/);
  });

  it('is not taken for visible where its own style is not important', () => {
    const link = (style: string) =>
      `<style>a { display: none }</style><a href="${prefixes[0]}x" style="${style}">out</a>`;
    expect(hasVisibleLink(link('display:inline'), prefixes)).toBe(false);
    expect(hasVisibleLink(link('display:inline !important'), prefixes)).toBe(true);
    expect(hasVisibleLink(link('display:none !important'), prefixes)).toBe(false);
    expect(hasVisibleLink(`<a href="${prefixes[0]}x" style="opacity:1">out</a>`, prefixes)).toBe(true);
  });

  it.each(['</body', '<body "', '<!--', 'İ', '<div hidden>'])('takes linear time to place: %s', (unit) => {
    const began = process.cpuUsage();
    sentHtml(unit.repeat(300_000 / unit.length));
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(1_500);
  });
});
