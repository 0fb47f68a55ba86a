import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { trackHtml, unsubscribeUrl } from './tracked-links.js';
import { unsubscribeHeaders } from './unsubscribe-headers.js';

const base = 'https://mail.example';
const untouched = [`${base}/u/`, `${base}/p/`];
/** Each link led through us shows itself, so that the test can read where it leads. */
const shownToken = (url: string): string => Buffer.from(url).toString('base64url');
const track = (html: string, { opens = false, clicks = true } = {}): string =>
  trackHtml(html, {
    base,
    untouched,
    openToken: opens ? 'pixel' : null,
    clickToken: clicks ? shownToken : null,
  });
const led = (url: string): string => `${base}/t/c/${shownToken(url)}`;

describe('links', () => {
  it.each([
    ['<a href="https://shop.example/a">', `<a href="${led('https://shop.example/a')}">`],
    ["<A title='x' HREF = 'http://shop.example'>", `<A title='x' HREF = '${led('http://shop.example/')}'>`],
    ['<a href=https://shop.example/a/b>', `<a href=${led('https://shop.example/a/b')}>`],
    [
      '<area shape=rect href="https://shop.example/" />',
      `<area shape=rect href="${led('https://shop.example/')}" />`,
    ],
    [
      '<a href="https://shop.example/?a=1&amp;b=2&copy=3">',
      `<a href="${led('https://shop.example/?a=1&b=2&copy=3')}">`,
    ],
    ['<a href="&#104;ttps://shop.example/">', `<a href="${led('https://shop.example/')}">`],
    ['<a href="  https://shop.example/ü\n ">', `<a href="${led('https://shop.example/%C3%BC')}">`],
    [
      '<a href="https://a.example/" href="https://b.example/">',
      `<a href="${led('https://a.example/')}" href="https://b.example/">`,
    ],
    [
      '<a data-track="true" href="https://a.example/">',
      `<a data-track="true" href="${led('https://a.example/')}">`,
    ],
  ])('are rewritten: %s', (html, wanted) => {
    expect(track(`<p>ä${html}link</a>`)).toBe(`<p>ä${wanted}link</a>`);
  });

  it.each([
    '<a href="mailto:a@b.example">',
    '<a href="tel:+491234">',
    '<a href="#top">',
    '<a href="/path">',
    '<a href="//shop.example/">',
    '<a href="javascript:alert(1)">',
    '<a href="https://">',
    '<a href="">',
    '<a href>',
    '<a href="https://shop.example/" data-track="false">',
    "<a data-track=' FALSE ' href='https://shop.example/'>",
    `<a href="${base}/u/token">`,
    `<a href="${base}/p/token">`,
    `<a href="https://shop.example/${'x'.repeat(2_048)}">`,
    '<!-- <a href="https://shop.example/"> -->',
    '<script>"<a href=\'https://shop.example/\'>"</script>',
    '<style><a href="https://shop.example/"></style>',
    '<title><a href="https://shop.example/"></title>',
    '<link href="https://shop.example/a.css">',
    '<img src="https://shop.example/a.png">',
    '<abbr href="https://shop.example/">',
    '<a href="https://shop.example/"',
  ])('stay unchanged: %s', (html) => {
    expect(track(`<p>${html}`)).toBe(`<p>${html}`);
  });

  it('are not parsed where clicks are not tracked', () => {
    expect(track('<a href="https://a.example/">x</a>', { opens: false, clicks: false })).toBe(
      '<a href="https://a.example/">x</a>',
    );
  });

  it('are the only bytes that change', () => {
    // Text that opens a tag, a comment or a reference would take the link in.
    const text = fc.string().map((any) => any.replaceAll(/[<&]/g, ''));
    const markup = [
      '<p class="a">',
      '</p>',
      '<br/>',
      '&nbsp;',
      '\r\n',
      "<b title='\"'>",
      '<!-- x -->',
      '<style>a{}</style>',
      '<td a=b>',
    ];
    const harmless = fc.oneof(text, fc.constantFrom(...markup));
    const link = fc
      .webUrl({ validSchemes: ['http', 'https'] })
      .map((url) => new URL(url).href.replaceAll("'", '%27'));
    fc.assert(
      fc.property(fc.array(fc.tuple(harmless, link)), harmless, (parts, end) => {
        const written = (of: (url: string) => string): string =>
          parts.map(([text, url]) => `${text}<a class=x href='${of(url)}'>y</a>`).join('') + end;
        const decoded = (url: string): string => url.replaceAll('&', '&amp;');
        expect(track(written(decoded))).toBe(written(led));
      }),
    );
  });

  it('are rewritten in a fraction of a millisecond', () => {
    const html = `<table>${'<tr><td style="color:#333">A line of text</td><td><a href="https://shop.example/x">x</a></td></tr>'.repeat(170)}</table>`;
    for (let round = 0; round < 50; round += 1) track(html);
    const took = Array.from({ length: 50 }, () => {
      const began = performance.now();
      track(html);
      return performance.now() - began;
    });
    expect(Math.min(...took)).toBeLessThan(15);
  });
});

describe('the pixel', () => {
  const pixel = `<img src="${base}/t/o/pixel.gif" width="1" height="1" alt="" style="border:0;width:1px;height:1px">`;
  const withPixel = (html: string): string => track(html, { opens: true, clicks: false });

  it.each([
    ['<body><p>x</p></body></html>', `<body><p>x</p>${pixel}</body></html>`],
    ['<body>x</body></BODY >', `<body>x</body>${pixel}</BODY >`],
    ['<p>x</p>', `<p>x</p>${pixel}`],
    ['<p>x</p><!-- </body> -->', `<p>x</p><!-- </body> -->${pixel}`],
    ['', pixel],
  ])('is added at the end of the body: %s', (html, wanted) => {
    expect(withPixel(html)).toBe(wanted);
  });
});

describe('the unsubscribe link', () => {
  it('is in the headers, for one click', () => {
    expect(unsubscribeHeaders(unsubscribeUrl(`${base}/`, 'token'))).toEqual([
      ['List-Unsubscribe', `<${base}/u/token>`],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ]);
  });
});
